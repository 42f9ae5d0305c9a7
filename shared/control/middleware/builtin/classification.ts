import { ACTION_OF, asAsked } from '../../failures/actions.ts';
import { classify } from '../../failures/classify.ts';
import type { MakeMiddleware } from '../run-context.ts';

/** Says what the failure of a run is, and what is usually done about it: by the one reading of failures that decides. */
export const classification: MakeMiddleware = ({ notes, errorActions }) => ({
  name: 'classification',
  async after_agent(context) {
    if (context.failed === null) return context;
    const failure = asAsked(
      classify({ code: context.failed.class, text: context.failed.reason }),
      errorActions,
    );
    notes.fact('classification.class', failure.class);
    notes.fact('classification.code', failure.code);
    notes.fact('classification.action', ACTION_OF[failure.remedy]);
    return context;
  },
});
