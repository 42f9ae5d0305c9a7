import type { Tier } from '../../../contract/agents/tiers.ts';
import type { TaskComplexity } from '../../../contract/submission/schema.ts';
import type { TierOption } from './choose-tier.ts';
import type { ModelLadderStep } from './tier-ladder.ts';
import { estimateTierPassRate, nominalAttemptCostUsd, type RoleLearningState } from './tier-pass-rate.ts';

/**
 * The rungs that are tiers, with what is believed of each. A tier whose cost nobody has observed is given what its price says, in
 * proportion to what the others have cost against theirs: all of them do the same work.
 */
export function buildTierChoiceOptions(
  memory: RoleLearningState,
  complexity: TaskComplexity,
  rungs: readonly ModelLadderStep[],
  enough: number,
  at: string,
): TierOption[] {
  const beliefs = rungs.flatMap(({ tier, model }) =>
    tier === null
      ? []
      : [estimateTierPassRate(memory, complexity, { tier: tier satisfies Tier, model }, enough)],
  );
  const nominal = beliefs.map(({ model }) => nominalAttemptCostUsd(model, at));
  const ratios = beliefs.flatMap(({ mean_cost_usd }, index) => {
    const price = nominal[index];
    return mean_cost_usd !== null && price ? [mean_cost_usd / price] : [];
  });
  const scale = ratios.length === 0 ? 1 : ratios.reduce((sum, each) => sum + each, 0) / ratios.length;
  return beliefs.map((belief, index) => {
    const price = nominal[index] ?? null;
    return { ...belief, cost_usd: belief.mean_cost_usd ?? (price === null ? null : price * scale) };
  });
}
