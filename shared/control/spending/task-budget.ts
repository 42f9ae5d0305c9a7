import { type Budgets, formatMicroUsd, toMicroUsd } from '../../contract/models/budgets.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { computeAttemptCost } from '../../contract/task/attempt-cost.ts';
import { computeKnownJudgingCost, unsettledJudgingMicroUsd } from '../../contract/task/judging-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import type { CostEstimate } from './cost-estimate.ts';

/** What is set aside for an attempt, under all its marks, in millionths of a dollar. */
const reservedMicroUsd = ({ reservation: reserved, extra_reservations = [] }: Attempt): number =>
  extra_reservations.reduce((sum, { micro_usd: micro }) => sum + micro, reserved?.micro_usd ?? 0);

/**
 * What an attempt counts as, in millionths of a dollar: all that models took for it, or while that is not known what was set aside for it,
 * and where that is more what is known with what may have been asked and nobody has heard. Of an outside agent's work only the judging counts: nobody here pays for the rest. Where a task ended
 * between evidence and verdict, models may have been asked whose answers nobody has heard: that cost is not known.
 */
export function computeBudgetedAttemptMicroUsd(attempt: Attempt, runner: Task['runner']): number {
  const { usd, isComplete } =
    runner !== 'managed' ? computeKnownJudgingCost(attempt) : computeAttemptCost(attempt);
  const micro = toMicroUsd(usd) + unsettledJudgingMicroUsd(attempt);
  const mayBeAsked = attempt.verification !== null && attempt.verdict === null;
  return isComplete && attempt.outcome !== null && !mayBeAsked
    ? micro
    : Math.max(reservedMicroUsd(attempt), micro);
}

/** Why the next attempt of a task, or something else that is to be paid for, could exceed the task's own budgets; null: it could not. */
export function findTaskBudgetRefusalReason(
  task: Task,
  estimated: CostEstimate,
  { chain_usd, task_usd }: Budgets,
  what?: string,
): string | null {
  const round = task.attempts.filter(({ number }) => number >= task.first_budgeted_attempt);
  const sum = (attempts: readonly Attempt[]): number =>
    attempts.reduce((total, attempt) => total + computeBudgetedAttemptMicroUsd(attempt, task.runner), 0);
  const own = task.budget.max_cost_usd;
  const limits: readonly (readonly [name: string, limit: number | undefined, spent: number])[] = [
    ['budget of the task itself', own, sum(round)],
    ['budget of a chain', chain_usd, sum(round)],
    ['budget of a task', task_usd, sum(task.attempts)],
  ];
  for (const [name, limit, spent] of limits) {
    if (limit === undefined || spent + estimated.highMicro <= toMicroUsd(limit)) continue;
    // Its own budget binds only where the deployment watches budgets before launches, and once something was spent of it: the gateway stops at it.
    if (name === 'budget of the task itself' && spent === 0) continue;
    return formatBudgetRefusal(name, toMicroUsd(limit), spent, estimated, what);
  }
  return null;
}

/** Words for the task: which budget, how much of it is taken, and what was expected of the attempt, or of what else is to be paid for. */
export const formatBudgetRefusal = (
  name: string,
  limit: number,
  taken: number,
  { description }: CostEstimate,
  what = 'the next attempt',
): string =>
  `${what} could exceed the ${name}: ${formatMicroUsd(taken)} of ${formatMicroUsd(limit)} is spent or set aside, and it is expected to cost ${description}`;
