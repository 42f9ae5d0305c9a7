import type { ReviewStage } from '../../contract/review/kinds.ts';
import type { ReviewProgress } from '../../contract/review/progress.ts';
import { firstOf } from '../../lib/cut.ts';
import { type Reviewed, STAGES } from './stages.ts';

export interface PipelineResult {
  readonly verdict: 'pass' | 'fail' | 'refer';
  readonly progress: ReviewProgress;
}

const MAX_REASON = 500;

/**
 * Runs the stages in order. The first that fails, or that asks a person, is the last that runs; those that have nothing to say are
 * written down and passed over. Without any that says something, the work passes review: what ran has judged it before.
 */
export function runPipeline(stages: readonly ReviewStage[], reviewed: Reviewed): PipelineResult {
  const completed: string[] = [];
  const results: ReviewProgress['stage_results'] = {};
  for (const stage of stages) {
    const { verdict, reason } = STAGES[stage](reviewed);
    results[stage] = { verdict, reason: reason === null ? null : firstOf(reason, MAX_REASON) };
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
