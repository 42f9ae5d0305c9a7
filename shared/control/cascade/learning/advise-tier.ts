import { TIERS, type Tier, type TierModels } from '../../../contract/agents/tiers.ts';
import type { AttemptRouteDecision } from '../../../contract/task/attempt.ts';
import type { Task } from '../../../contract/task/task.ts';
import type { TierPolicySettings } from './cascade-policy.ts';
import { chooseTier } from './choose-tier.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { ModelLadderStep } from './tier-ladder.ts';
import { findPinnedTier } from './tier-learning-overrides.ts';
import { buildTierChoiceOptions } from './tier-options.ts';
import type { RoleLearningState } from './tier-pass-rate.ts';

/** What a choice is made with. */
export interface TierAdviceInputs {
  readonly policy: TierPolicySettings;
  readonly memory: RoleLearningState;
  /** ISO time: prices are of a day. */
  readonly priced_at: string;
  /** What was applied in the place of the table's word, and by which proposal; absent: nothing. */
  readonly tuned_first_tier?: { readonly tier: Tier; readonly proposal: string } | null;
}

export interface NextTierAdvice {
  readonly rung: ModelLadderStep;
  /** Why, to follow the reason of the route. */
  readonly reason: string;
  readonly choice: NonNullable<AttemptRouteDecision['tier_choice']>;
}

/** A task that names its model has chosen; a plan is always made by the best. */
const canChooseTier = (task: Task): boolean =>
  task.model === undefined && task.runner === 'managed' && task.plan === undefined;

/**
 * Where to begin, or to go on after failed work, by a person's word or by what is learned; null: where the ladder says. Chance comes from the
 * task and the number of the attempt, so that a step that is repeated decides the same.
 */
export function adviseNextTier(
  task: Task,
  rungs: readonly ModelLadderStep[],
  isFirst: boolean,
  models: TierModels,
  { policy, memory, priced_at, tuned_first_tier }: TierAdviceInputs,
): NextTierAdvice | null {
  if (!canChooseTier(task)) return null;
  const word = isFirst ? findPinnedTier(memory.control, task.complexity) : null;
  if (word) {
    const { tier, scope } = word;
    const { by, reason } =
      memory.control.history.find((each) => each.action === 'pin' && each.complexity === scope) ?? {};
    return {
      rung: rungs.find((each) => each.tier === tier) ?? { tier, model: models[tier] },
      reason: `; ${tier} by ${by ?? 'a person'}'s word: ${reason ?? 'pinned'}`,
      choice: { strategy: 'pin', explored: false, candidates: [] },
    };
  }
  if (policy.policy === 'fixed') {
    const rung =
      isFirst && tuned_first_tier ? rungs.find(({ tier }) => tier === tuned_first_tier.tier) : undefined;
    return rung && tuned_first_tier
      ? {
          rung,
          reason: `; ${tuned_first_tier.tier} first by proposal ${tuned_first_tier.proposal}`,
          choice: { strategy: 'proposal', explored: false, candidates: [] },
        }
      : null;
  }
  const options = buildTierChoiceOptions(memory, task.complexity, rungs, policy.min_observations, priced_at);
  if (options.length !== rungs.length || options.length > TIERS.length) return null;
  const random = createSeededRandom(`${task.id}#${task.first_budgeted_attempt}#${task.attempts.length + 1}`);
  const choice = chooseTier(options, policy, random);
  const rung = choice && rungs[choice.index];
  if (!choice || !rung) return null;
  return {
    rung,
    reason: `; ${policy.policy}: ${choice.reason}`,
    choice: { strategy: policy.policy, explored: choice.explored, candidates: [...choice.candidates] },
  };
}
