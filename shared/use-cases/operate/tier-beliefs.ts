import type { CascadeView } from '../../api/cascade-schemas.ts';
import { TIERS, type Tier, type TierModels } from '../../contract/agents/tiers.ts';
import { TaskComplexity } from '../../contract/submission/schema.ts';
import type { TierPolicySettings } from '../../control/cascade/learning/cascade-policy.ts';
import type { TierLearningOverrides } from '../../control/cascade/learning/tier-learning-overrides.ts';
import {
  findPinnedTier,
  resetTierLearning,
  setTierPin,
} from '../../control/cascade/learning/tier-learning-overrides.ts';
import { buildTierChoiceOptions } from '../../control/cascade/learning/tier-options.ts';
import type { RoleLearningState } from '../../control/cascade/learning/tier-pass-rate.ts';
import type { RoleLearningStore } from '../../store/role-learning.ts';
import type { TaskCountStore } from '../../store/task-counts.ts';

export interface BeliefsContext {
  readonly beliefs: RoleLearningStore;
  readonly models: TierModels;
  readonly policy: TierPolicySettings;
  readonly now: Date;
}

/** What is believed of a role: a row for each complexity of which something was seen, or that a person has spoken on, and each tier. */
function rows(role: string, memory: RoleLearningState, { models, policy, now }: BeliefsContext) {
  const rungs = TIERS.map((tier) => ({ tier, model: models[tier] }));
  return TaskComplexity.options.flatMap((complexity): CascadeView['beliefs'] => {
    const isSeen = memory.windows.some((each) => each.complexity === complexity);
    const word = findPinnedTier(memory.control, complexity);
    if (!isSeen && word?.scope !== complexity) return [];
    const options = buildTierChoiceOptions(
      memory,
      complexity,
      rungs,
      policy.min_observations,
      now.toISOString(),
    );
    return options.map((option, at) => {
      const next = options[at + 1]?.cost_usd ?? null;
      const { mean_cost_usd: _, cost_with_judging: _spent, basis: from, ...rest } = option;
      return {
        role,
        complexity,
        basis: from,
        ...rest,
        break_even_pass_rate: option.cost_usd === null || !next ? null : Math.min(1, option.cost_usd / next),
        pinned: word?.tier === option.tier,
      };
    });
  });
}

const view = (memories: ReadonlyMap<string, RoleLearningState>, context: BeliefsContext): CascadeView => ({
  policy: context.policy,
  beliefs: [...memories].flatMap(([role, memory]) => rows(role, memory, context)),
  history: [...memories].flatMap(([role, { control }]) => control.history.map((each) => ({ role, ...each }))),
});

/** What is believed of the models, by all roles that ever had a task, or by one. */
export async function readTierBeliefs(
  role: string | undefined,
  counts: TaskCountStore,
  context: BeliefsContext,
): Promise<CascadeView> {
  const roles = role === undefined ? [...(await counts.read()).roles.keys()].sort() : [role];
  const memories = new Map<string, RoleLearningState>();
  for (const each of roles) memories.set(each, await context.beliefs.readRole(each));
  return view(memories, context);
}

async function changeControl(
  role: string,
  change: (control: TierLearningOverrides) => TierLearningOverrides | null,
  context: BeliefsContext,
): Promise<CascadeView> {
  const control = await context.beliefs.updateControl(role, change);
  // What was written counts, also where the query is some moments behind.
  return view(new Map([[role, { ...(await context.beliefs.readRole(role)), control }]]), context);
}

interface OperatorNote {
  readonly by: string;
  readonly reason: string;
}

/** Has one tier try first for a role, or lifts that. */
export const pinFirstTierForRole = (
  role: string,
  { complexity, tier }: { readonly complexity: TaskComplexity | 'any'; readonly tier: Tier | null },
  word: OperatorNote,
  context: BeliefsContext,
): Promise<CascadeView> =>
  changeControl(
    role,
    (control) => setTierPin(control, complexity, tier, { ...word, now: context.now }),
    context,
  );

/** Forgets what was learned of a tier for a role, or of all. */
export const resetTierBeliefs = (
  role: string,
  tier: Tier | null,
  word: OperatorNote,
  context: BeliefsContext,
): Promise<CascadeView> =>
  changeControl(role, (control) => resetTierLearning(control, tier, { ...word, now: context.now }), context);
