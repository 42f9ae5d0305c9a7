import { judgingCost } from '../judging/cost.ts';
import type { Task } from '../task/task.ts';

/**
 * What the present round has used of its budget: those before an operator's retry do not count, nor what was nobody's fault. Unknown
 * costs count as nothing: the limit on attempts still holds.
 */
export function budgetSpent(task: Pick<Task, 'attempts' | 'budget_from'>): {
  readonly attempts: number;
  readonly usd: number;
} {
  const round = task.attempts.filter(({ number }) => number >= task.budget_from);
  return {
    attempts: round.filter(
      ({ outcome, merge }) => outcome !== 'infra_failed' && outcome !== 'expired' && !merge,
    ).length,
    usd: round.reduce((sum, attempt) => sum + (attempt.cost_usd ?? 0) + (judgingCost(attempt) ?? 0), 0),
  };
}
