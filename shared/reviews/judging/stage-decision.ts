import type { PipelineStage, ReviewPipeline } from '../../contract/judgement/review-pipeline-schema.ts';

/** What one reviewer said of the work; null: nothing that counts. */
export type ReviewerApproval = boolean | null;
export type StageDecision = 'passed' | 'failed' | 'undecided';

/** Less sure than this, and a reviewer has abstained. */
export const MIN_VOTE_CONFIDENCE = 0.3;

/**
 * What a stage comes to. An abstention is never a word for the work; where those who abstained could have made the difference, nothing
 * is decided. A tie of `majority` is a no.
 */
export function decideStage(
  { agents, aggregator }: PipelineStage,
  votes: readonly ReviewerApproval[],
): StageDecision {
  const { strategy, weights, pass_threshold: threshold = 0.5 } = aggregator;
  const weigh = (role: string): number => (strategy === 'weighted' ? (weights?.[role] ?? 1) : 1);
  const sum = (which: (vote: ReviewerApproval) => boolean): number =>
    agents.reduce((total, { role }, index) => total + (which(votes[index] ?? null) ? weigh(role) : 0), 0);
  const good = sum((vote) => vote === true);
  const open = sum((vote) => vote === null);
  const all = sum(() => true);
  const isEnough = (approving: number): boolean => {
    switch (strategy) {
      case 'any':
        return approving > 0;
      case 'all':
        return approving === all;
      case 'majority':
        return approving > all / 2;
      case 'weighted':
        return approving / all >= threshold;
    }
  };
  return isEnough(good) ? 'passed' : isEnough(good + open) ? 'undecided' : 'failed';
}

/** What all stages come to; those that are not decided yet are `undecided`. A stage of `all` that fails, fails the pipeline. */
export function decidePipeline(
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
