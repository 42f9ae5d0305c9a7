import { findAssumptionViolations } from '../assumption-violations.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** Takes down where an agent says that what it was told does not hold. Its words are claims: they are for a person. */
export const createAssumptionViolationMiddleware: MiddlewareFactory = ({ recorder }) => ({
  name: 'assumption_violation',
  async after_model(context) {
    for (const { type, evidence } of findAssumptionViolations(context.agentText))
      recorder.addFinding({
        middleware: 'assumption_violation',
        kind: 'claimed',
        code: type,
        detail: evidence,
        turn: Math.max(1, context.turn),
      });
    return context;
  },
});
