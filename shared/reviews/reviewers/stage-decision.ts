import type { PipelineStage, ReviewPipeline } from '../../contract/judgement/review-pipeline-schema.ts';
import { tallyVotes, type Vote } from '../engine/votes.ts';

export type StageDecision = 'passed' | 'failed' | 'undecided';

/** A reviewer that is less sure than this has abstained. */
const MIN_VOTE_CONFIDENCE = 0.3;

/**
 * Decides the votes of a stage. Where those who abstained could make the difference, nothing is decided. A tie of
 * `majority` is a rejection.
 */
export function decideReviewStageVotes(
  { agents, aggregator }: PipelineStage,
  votes: readonly Vote[],
): StageDecision {
  const { strategy, weights, pass_threshold: threshold = 0.5 } = aggregator;
  const weightOf = (_vote: Vote, index: number): number =>
    strategy === 'weighted' ? (weights?.[agents[index]?.role ?? ''] ?? 1) : 1;
  const { approving, rejecting, abstaining } = tallyVotes(votes, MIN_VOTE_CONFIDENCE, weightOf).weights;
  const all = approving + rejecting + abstaining;
  const isEnough = (weight: number): boolean => {
    switch (strategy) {
      case 'any':
        return weight > 0;
      case 'all':
        return weight === all;
      case 'majority':
        return weight > all / 2;
      case 'weighted':
        return weight / all >= threshold;
    }
  };
  return isEnough(approving) ? 'passed' : isEnough(approving + abstaining) ? 'undecided' : 'failed';
}

/** What all stages come to; those that are not decided yet are `undecided`. A stage of `all` that fails, fails the pipeline. */
export function decideReviewPipeline(
  { stages, pass_threshold }: ReviewPipeline,
  counts: readonly (StageDecision | undefined)[],
): StageDecision {
  const of = (index: number): StageDecision => counts[index] ?? 'undecided';
  const mustHold = stages.flatMap(({ aggregator }, index) =>
    aggregator.strategy === 'all' ? [of(index)] : [],
  );
  if (mustHold.includes('failed')) return 'failed';
  const share = (which: (count: StageDecision) => boolean): number =>
    stages.filter((_, index) => which(of(index))).length / stages.length;
  if (share((count) => count !== 'failed') < pass_threshold) return 'failed';
  return share((count) => count === 'passed') >= pass_threshold && !mustHold.includes('undecided')
    ? 'passed'
    : 'undecided';
}
