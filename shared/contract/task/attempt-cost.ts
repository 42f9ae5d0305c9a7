import type { Attempt } from './attempt.ts';
import { computeKnownJudgingCost, type PartialJudgingCost } from './judging-cost.ts';
import type { Task } from './task.ts';

/** What models took for an attempt: its agent, and all that judged what it did. Whatever has a limit in dollars counts this and nothing else. */
export function computeAttemptCost(attempt: Attempt): PartialJudgingCost {
  const judging = computeKnownJudgingCost(attempt);
  return {
    usd: (attempt.cost_usd ?? 0) + judging.usd,
    isComplete: attempt.cost_usd !== null && judging.isComplete,
  };
}

/**
 * What the present round has used of its budget: those before an operator's retry do not count, nor what was nobody's fault. Unknown
 * costs count as nothing: the limit on attempts still holds.
 */
export function roundBudgetUsage(task: Pick<Task, 'attempts' | 'first_budgeted_attempt'>): {
  readonly attempts: number;
  readonly usd: number;
} {
  const round = task.attempts.filter(({ number }) => number >= task.first_budgeted_attempt);
  return {
    attempts: round.filter(
      ({ outcome, merge, redelivery }) =>
        outcome !== 'infra_failed' && outcome !== 'expired' && !merge && !redelivery,
    ).length,
    usd: round.reduce((sum, attempt) => sum + computeAttemptCost(attempt).usd, 0),
  };
}

/** Dollars of the attempts' cost that are estimates: calls that the provider did not count, or that are not settled. */
export const estimatedCostUsd = (
  attempts: readonly { readonly metered_usage?: { readonly unsettled_usd: number } | null | undefined }[],
): number => attempts.reduce((sum, { metered_usage }) => sum + (metered_usage?.unsettled_usd ?? 0), 0);
