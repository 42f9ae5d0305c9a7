import type { TierModels } from '../../contract/agents/tiers.ts';
import {
  MODEL_PRICES,
  type ModelPrice,
  modelPrice,
  roundUsd,
  usageCostUsd,
} from '../../contract/models/model-prices.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { sumUnlessUnknown, totalJudgingCost } from '../../contract/task/judging-cost.ts';

export interface AttemptChainCosts {
  /** Of the agents and of judging what they did. Null when any part of it is unknown. */
  readonly total_cost_usd: number | null;
  /** Of the total: what models took to judge the work. */
  readonly judging_cost_usd: number | null;
  readonly first_attempt_cost_usd: number | null;
  readonly escalation_overhead_usd: number | null;
  /** Negative when the climb cost more than the top model alone would have. */
  readonly saved_vs_direct_opus_usd: number | null;
}

/** An attempt that never got to report, and of which no gateway knows, used no tokens that we know of and is left out of the sums. */
const hasRun = (attempt: Attempt): boolean => attempt.report !== null || Boolean(attempt.metered_usage);

/**
 * What a chain cost, and what it saved against sending the task straight to the top model. "Straight to the top" is priced
 * with the tokens of the last attempt: the best estimate at hand of the work itself. On the top tier it is that attempt's own cost,
 * so that a chain which climbed to the top shows its overhead as a negative saving. Judging is in the total and in nothing else: it
 * says nothing about which model should have done the work.
 */
export function computeAttemptChainCosts(
  attempts: readonly Attempt[],
  models: TierModels,
  prices: readonly ModelPrice[] = MODEL_PRICES,
): AttemptChainCosts {
  const counted = attempts.filter(hasRun);
  const first = counted[0];
  const last = counted.at(-1);
  if (!first || !last)
    return {
      total_cost_usd: attempts.length === 0 ? 0 : null,
      judging_cost_usd: 0,
      first_attempt_cost_usd: null,
      escalation_overhead_usd: null,
      saved_vs_direct_opus_usd: null,
    };
  const agents = sumUnlessUnknown(counted.map(({ cost_usd }) => cost_usd));
  const judging = sumUnlessUnknown(counted.map(totalJudgingCost));
  const total = sumUnlessUnknown([agents, judging]);
  // Without a model there is no cascade to compare with.
  const direct = last.model === null ? null : usageCostUsd(models.opus, last.usage, last.started_at, prices);
  return {
    total_cost_usd: total === null ? null : roundUsd(total),
    judging_cost_usd: judging === null ? null : roundUsd(judging),
    first_attempt_cost_usd: first.cost_usd,
    escalation_overhead_usd:
      agents === null || first.cost_usd === null ? null : roundUsd(agents - first.cost_usd),
    saved_vs_direct_opus_usd: agents === null || direct === null ? null : roundUsd(direct - agents),
  };
}

/**
 * The pass rate of the cheapest tier above which starting there pays: cost of the first over cost of the top model, at equal
 * token use. Null when a price is unknown.
 */
export function breakEvenPassRate(
  models: TierModels,
  at: string,
  prices: readonly ModelPrice[] = MODEL_PRICES,
): number | null {
  const cheap = modelPrice(models.haiku, at, prices);
  const top = modelPrice(models.opus, at, prices);
  if (!cheap || !top) return null;
  return Math.round(((cheap.input + cheap.output) / (top.input + top.output)) * 1e4) / 1e4;
}
