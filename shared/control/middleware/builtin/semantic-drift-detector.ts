import type { MiddlewareFactory } from '../run-context.ts';
import { computeWordSimilarity } from '../semantic-drift.ts';

/** How much what the agent says has in common with what must be true in the end. It changes and holds back nothing. */
export const createSemanticDriftMiddleware: MiddlewareFactory = ({ settings, task, recorder }) => {
  let flagged = false;
  return {
    name: 'semantic_drift_detector',
    async after_model(context) {
      if (task.criteria.length === 0 || context.agentText.trim() === '') return context;
      const { threshold } = settings.semantic_drift;
      const score = computeWordSimilarity(context.agentText, task.criteria.join(' '));
      recorder.setFact('semantic_drift_score', score);
      if (score < threshold && !flagged) {
        flagged = true;
        recorder.addFinding({
          middleware: 'semantic_drift_detector',
          kind: 'observed',
          code: 'semantic_drift',
          detail: `${score.toFixed(2)} of what it says is about the criteria; ${threshold} is the least`,
          turn: Math.max(1, context.turn),
        });
      }
      return context;
    },
  };
};
