import { classifyFailure } from '../../failures/classify-failure.ts';
import { applyErrorActionOverrides, ERROR_ACTION_OF_REMEDY } from '../../failures/remedy-actions.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** Says what the failure of a run is, and what is usually done about it: by the one reading of failures that decides. */
export const createFailureClassificationMiddleware: MiddlewareFactory = ({
  recorder,
  errorActionOverrides,
}) => ({
  name: 'classification',
  async after_agent(context) {
    if (context.runFailure === null) return context;
    const failure = applyErrorActionOverrides(
      classifyFailure({ code: context.runFailure.class, text: context.runFailure.reason }),
      errorActionOverrides,
    );
    recorder.setFact('classification.class', failure.class);
    recorder.setFact('classification.code', failure.code);
    recorder.setFact('classification.action', ERROR_ACTION_OF_REMEDY[failure.remedy]);
    return context;
  },
});
