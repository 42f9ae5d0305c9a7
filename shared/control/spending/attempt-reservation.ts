import { isTier } from '../../contract/agents/tiers.ts';
import { type Budgets, hasBudgetsBeyondTask } from '../../contract/models/budgets.ts';
import type { Attempt, ModelBudgetReservation } from '../../contract/task/attempt.ts';
import { totalJudgingCost } from '../../contract/task/judging-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import type { TierAdviceInputs } from '../cascade/learning/advise-tier.ts';
import type { TierPolicySettings } from '../cascade/learning/cascade-policy.ts';
import { buildTierChoiceOptions } from '../cascade/learning/tier-options.ts';
import type { NextAttemptModelSelection } from '../cascade/model-selection.ts';
import { type CostEstimate, estimateAttemptCost } from './cost-estimate.ts';
import { unrecordedReservationIds } from './reservations.ts';
import type { SpendCounters } from './spend-counters.ts';
import { findTaskBudgetRefusalReason } from './task-budget.ts';

/** What the next attempt is expected to cost on the tier and model that were chosen. */
function estimateNextAttempt(
  task: Task,
  { rung }: NextAttemptModelSelection,
  { memory, policy, priced_at }: TierAdviceInputs,
): CostEstimate | null {
  const tier = rung.tier ?? 'haiku';
  if (!isTier(tier)) return null;
  const [option] = buildTierChoiceOptions(
    memory,
    task.complexity,
    [{ tier, model: rung.model }],
    policy.min_observations,
    priced_at,
  );
  return estimateAttemptCost(option ?? null);
}

/**
 * Sets aside what the next attempt may cost, before it starts. `{}`: nothing is limited. What is not known to fit does not: an attempt of
 * which nobody can say what it costs is refused where there are budgets.
 */
export async function reserveAttempt(
  task: Task,
  selection: NextAttemptModelSelection,
  learned: TierAdviceInputs,
  spend: Pick<SpendCounters, 'reserve'>,
  now: Date,
): Promise<{ readonly reserved?: ModelBudgetReservation } | { readonly refused: string }> {
  const budgets: Budgets | undefined = learned.policy.budgets;
  if (!budgets) return {};
  const estimated = estimateNextAttempt(task, selection, learned);
  if (!estimated)
    return {
      refused: `there are budgets, and nobody knows what an attempt on ${selection.rung.model} costs: it has no price, and none was observed`,
    };
  const own = findTaskBudgetRefusalReason(task, estimated, budgets);
  if (own !== null) return { refused: own };
  // Also where only tasks are limited: while its cost is not known, an attempt counts as what was set aside for it.
  if (!hasBudgetsBeyondTask(budgets))
    return { reserved: { day: now.toISOString().slice(0, 10), micro_usd: estimated.highMicro } };
  const attempt = `${task.id}#${(task.attempts.at(-1)?.number ?? 0) + 1}`;
  const answer = await spend.reserve(
    { reservationId: attempt, repository: task.repository, estimate: estimated },
    budgets,
    now,
  );
  return 'refused' in answer ? answer : { reserved: answer };
}

/** What was set aside before midnight is found after it. */
const DAY_MS = 86_400_000;

/** What a decision writes on its attempt of what is set aside for it. */
export type ReservationFields = Pick<Attempt, 'reservation' | 'extra_reservations'>;

/**
 * Has the judging of the current attempt counted in the budgets that tasks share, where it was not set aside with the attempt: in the
 * place of what was set aside before models were asked, also where these then cost nothing. Empty: there is nothing to count, or it is
 * counted with what was set aside.
 */
export async function recordJudgingReservation(
  task: Task,
  {
    learning,
    now,
  }: {
    readonly learning?:
      | {
          readonly spend: Pick<SpendCounters, 'findReservations' | 'openJudgingReservation'>;
          readonly policy: TierPolicySettings;
        }
      | undefined;
    readonly now: Date;
  },
): Promise<ReservationFields> {
  const attempt = task.attempts.at(-1);
  const budgets = learning?.policy.budgets;
  if (!learning || !budgets || !hasBudgetsBeyondTask(budgets) || !attempt) return {};
  const { spend } = learning;
  const { own, more } = unrecordedReservationIds(task, attempt);
  const looked = [...(attempt.reservation ? [] : [own]), ...more];
  if (looked.length === 0) return {};
  const days = [now, new Date(now.getTime() - DAY_MS)].map((at) => at.toISOString().slice(0, 10));
  const open = await spend.findReservations(looked, days);
  const found = more.flatMap((key) => {
    const reserved = open.get(key);
    return reserved ? [{ key, ...reserved }] : [];
  });
  const isCounted = attempt.reservation || (found.length === 0 && totalJudgingCost(attempt) === 0);
  const reserved = open.get(own) ?? (isCounted ? undefined : await spend.openJudgingReservation(own, now));
  return {
    ...(reserved && { reservation: reserved }),
    ...(found.length > 0 && { extra_reservations: [...(attempt.extra_reservations ?? []), ...found] }),
  };
}
