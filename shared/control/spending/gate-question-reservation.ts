import { formatMicroUsd, hasBudgetsBeyondTask } from '../../contract/models/budgets.ts';
import type { Task } from '../../contract/task/task.ts';
import type { TierPolicySettings } from '../cascade/learning/cascade-policy.ts';
import { requireAttempt } from '../task-commands/task-change.ts';
import { challengerReservationId, gatesReservationId } from './reservations.ts';
import type { SpendCounters } from './spend-counters.ts';
import { findTaskBudgetRefusalReason } from './task-budget.ts';

/**
 * Sets aside what one question of the gates of an attempt may cost, at the worst and before it is asked, where nothing was set aside with
 * the attempt: an outside agent's work, and work that is put onto a branch that has moved. Null: it fits, or nothing is limited; else why
 * it is not asked. Asked for twice, it is set aside twice; what is not used is given back when the attempt is over.
 */
export async function reserveGateModelCallOrRefusal(
  task: Task,
  number: number,
  /** Millionths of a dollar; null: nobody knows. */
  worst: number | null,
  { policy, spend }: { readonly policy: TierPolicySettings; readonly spend: Pick<SpendCounters, 'increase'> },
  now: Date,
  caller: 'gates' | 'challenger' = 'gates',
): Promise<string | null> {
  const { budgets } = policy;
  // What a challenger may ask is never set aside with the attempt: it is known only when everything else has passed.
  if (!budgets || (caller === 'gates' && requireAttempt(task, number).reservation)) return null;
  if (worst === null)
    return 'there are budgets, and nobody knows what asking this model costs: it has no price';
  const what = caller === 'gates' ? 'this question of a gate' : 'this question of a challenger';
  const estimated = {
    expectedMicro: worst,
    highMicro: worst,
    description: `up to ${formatMicroUsd(worst)}, by its price`,
  };
  const own = findTaskBudgetRefusalReason(task, estimated, budgets, what);
  if (own !== null || !hasBudgetsBeyondTask(budgets)) return own;
  const mark =
    caller === 'gates' ? gatesReservationId(task.id, number) : challengerReservationId(task.id, number);
  const answer = await spend.increase(
    { reservationId: mark, repository: task.repository, estimate: estimated, purpose: what },
    budgets,
    now,
  );
  return 'refused' in answer ? answer.refused : null;
}
