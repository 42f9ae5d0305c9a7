import { firstOf } from '../../../lib/cut.ts';
import type { MakeMiddleware } from '../run-context.ts';

/** Has the task wait for a person where a call was held back that needs leave. Of several in one turn the first is asked about. */
export const approvalGate: MakeMiddleware = ({ escalations, notes }) => ({
  name: 'approval_gate',
  async after_model(context) {
    const first = escalations.splice(0)[0];
    if (first === undefined || context.ask) return context;
    notes.found({
      by: 'approval_gate',
      kind: 'observed',
      code: 'asked_for_leave',
      detail: `${first.action}: ${first.title}`,
      turn: context.turn,
    });
    const ask = {
      action: first.action,
      title: firstOf(first.title.replaceAll(/\s+/g, ' ').trim(), 200) || first.action,
      description: 'The agent was about to do this without having asked; it was held back.',
    };
    return { ...context, ask };
  },
});
