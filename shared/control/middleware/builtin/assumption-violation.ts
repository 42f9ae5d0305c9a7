import { violationsIn } from '../assumptions.ts';
import type { MakeMiddleware } from '../run-context.ts';

/** Takes down where an agent says that what it was told does not hold. Its words are claims: they are for a person. */
export const assumptionViolation: MakeMiddleware = ({ notes }) => ({
  name: 'assumption_violation',
  async after_model(context) {
    for (const { type, evidence } of violationsIn(context.text))
      notes.found({
        by: 'assumption_violation',
        kind: 'claimed',
        code: type,
        detail: evidence,
        turn: Math.max(1, context.turn),
      });
    return context;
  },
});
