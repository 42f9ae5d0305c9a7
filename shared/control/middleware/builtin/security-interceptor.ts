import type { ToolCall } from '../compose-middleware.ts';
import type { MiddlewareFactory } from '../run-context.ts';
import { decideToolCall, findSecretKinds } from '../tool-call-rules.ts';

const describeInterception = ({ isBlockable }: ToolCall): string =>
  isBlockable ? 'held back' : 'seen, not held back';

/** Looks at each call of a tool before it is done, where it can be held, and at what has come back of it. */
export const createSecurityInterceptorMiddleware: MiddlewareFactory = ({
  recorder,
  approvedActions,
  escalations,
}) => ({
  name: 'security_interceptor',
  async wrap_tool_call(context, call, next) {
    const note = (code: string, detail: string): void =>
      recorder.addFinding({
        middleware: 'security_interceptor',
        kind: 'observed',
        code,
        detail,
        turn: context.turn,
      });
    const word = decideToolCall(call.input);
    if (word.decision === 'deny') {
      note('tool_denied', `${word.rule}, ${describeInterception(call)}: ${call.input}`);
      if (call.isBlockable) return { output: '', error: `this is not allowed: ${word.reason}` };
    }
    if (word.decision === 'escalate' && !approvedActions.includes(word.action)) {
      note('tool_needs_leave', `${word.action}, ${describeInterception(call)}: ${call.input}`);
      if (call.isBlockable) {
        escalations.push({ action: word.action, title: call.input });
        return { output: '', error: `this needs leave of a person (${word.action}), and was not done` };
      }
    }
    const result = await next(context);
    for (const what of findSecretKinds(result.output))
      note('secret_in_output', `${what} in what ${call.name} gave back`);
    return result;
  },
});
