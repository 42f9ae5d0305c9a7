import { truncateText } from '../../../lib/truncate.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** Has the task wait for a person where a call was held back that needs leave. Of several in one turn the first is asked about. */
export const createApprovalGateMiddleware: MiddlewareFactory = ({ escalations, recorder }) => ({
  name: 'approval_gate',
  async after_model(context) {
    const first = escalations.splice(0)[0];
    if (first === undefined || context.approvalRequest) return context;
    recorder.addFinding({
      middleware: 'approval_gate',
      kind: 'observed',
      code: 'asked_for_leave',
      detail: `${first.action}: ${first.title}`,
      turn: context.turn,
    });
    const ask = {
      action: first.action,
      title: truncateText(first.title.replaceAll(/\s+/g, ' ').trim(), 200) || first.action,
      description: 'The agent was about to do this without having asked; it was held back.',
    };
    return { ...context, approvalRequest: ask };
  },
});
