import type { ToolCall } from '../compose.ts';
import type { MakeMiddleware } from '../run-context.ts';
import { secretsIn, wordOnCall } from '../tool-rules.ts';

const seen = ({ held }: ToolCall): string => (held ? 'held back' : 'seen, not held back');

/** Looks at each call of a tool before it is done, where it can be held, and at what has come back of it. */
export const securityInterceptor: MakeMiddleware = ({ notes, allowed, escalations }) => ({
  name: 'security_interceptor',
  async wrap_tool_call(context, call, next) {
    const note = (code: string, detail: string): void =>
      notes.found({ by: 'security_interceptor', kind: 'observed', code, detail, turn: context.turn });
    const word = wordOnCall(call.input);
    if (word.verdict === 'deny') {
      note('tool_denied', `${word.rule}, ${seen(call)}: ${call.input}`);
      if (call.held) return { output: '', error: `this is not allowed: ${word.reason}` };
    }
    if (word.verdict === 'escalate' && !allowed.includes(word.action)) {
      note('tool_needs_leave', `${word.action}, ${seen(call)}: ${call.input}`);
      if (call.held) {
        escalations.push({ action: word.action, title: call.input });
        return { output: '', error: `this needs leave of a person (${word.action}), and was not done` };
      }
    }
    const result = await next(context);
    for (const what of secretsIn(result.output))
      note('secret_in_output', `${what} in what ${call.name} gave back`);
    return result;
  },
});
