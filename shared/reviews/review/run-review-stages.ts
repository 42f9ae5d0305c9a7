import type { ReviewProgress } from '../../contract/review/review-progress.ts';
import type { ReviewStage } from '../../contract/review/review-stage-names.ts';
import { truncateText } from '../../lib/truncate.ts';
import { REVIEW_STAGE_RUNNERS, type ReviewStageInput } from './review-stages.ts';

export interface ReviewStagesResult {
  readonly verdict: 'pass' | 'fail' | 'refer';
  readonly progress: ReviewProgress;
}

const MAX_REASON = 500;

/**
 * Runs the stages in order. The first that fails, or that asks a person, is the last that runs; those that have nothing to say are
 * written down and passed over. Without any that says something, the work passes review: what ran has judged it before.
 */
export function runReviewStages(
  stages: readonly ReviewStage[],
  reviewed: ReviewStageInput,
): ReviewStagesResult {
  const completed: string[] = [];
  const results: ReviewProgress['stage_results'] = {};
  for (const stage of stages) {
    const { verdict, reason } = REVIEW_STAGE_RUNNERS[stage](reviewed);
    results[stage] = { verdict, reason: reason === null ? null : truncateText(reason, MAX_REASON) };
    if (verdict === 'fail' || verdict === 'refer')
      return {
        verdict,
        progress: { current_stage: stage, stages_completed: completed, stage_results: results },
      };
    completed.push(stage);
  }
  return {
    verdict: 'pass',
    progress: { current_stage: null, stages_completed: completed, stage_results: results },
  };
}
