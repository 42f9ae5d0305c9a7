import { buildToolPolicyRequest } from '../policy-engine.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** Asks the policy of the base about each call of a tool. Without one it asks nobody; one that cannot be asked lets pass, unless the base says otherwise. */
export const createPolicyGateMiddleware: MiddlewareFactory = ({ settings, policy, run, recorder }) => ({
  name: 'policy_gate',
  async wrap_tool_call(context, call, next) {
    if (policy === null) return next(context);
    const { evaluation_mode, fail_closed } = settings.policy;
    const note = (code: string, detail: string): void =>
      recorder.addFinding({ middleware: 'policy_gate', kind: 'observed', code, detail, turn: context.turn });
    const asked = await policy(buildToolPolicyRequest(call, run)).catch((error: unknown) => {
      note('policy_unavailable', error instanceof Error ? error.message : String(error));
      return fail_closed ? { reason: 'the policy could not be asked' } : null;
    });
    if (asked === null) return next(context);
    const enforced = evaluation_mode === 'enforce' && call.isBlockable;
    note(
      'policy_denied',
      `${asked.reason} (${enforced ? 'held back' : 'let pass'}): ${call.name} ${call.input}`,
    );
    return enforced ? { output: '', error: asked.reason } : next(context);
  },
});
