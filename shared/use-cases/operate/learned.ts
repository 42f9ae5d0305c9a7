import type { CascadeView } from '../../api/cascade-schemas.ts';
import { TIERS, type Tier, type TierModels } from '../../contract/agents/tiers.ts';
import { Complexity } from '../../contract/submission/schema.ts';
import type { RoleMemory } from '../../control/cascade/learning/belief.ts';
import type { Control } from '../../control/cascade/learning/control.ts';
import { pin, pinned, reset } from '../../control/cascade/learning/control.ts';
import { optionsOf } from '../../control/cascade/learning/options.ts';
import type { CascadePolicy } from '../../control/cascade/learning/policy.ts';
import type { BeliefStore } from '../../store/beliefs.ts';
import type { CountStore } from '../../store/counts.ts';

export interface LearnedContext {
  readonly beliefs: BeliefStore;
  readonly models: TierModels;
  readonly policy: CascadePolicy;
  readonly now: Date;
}

/** What is believed of a role: a row for each complexity of which something was seen, or that a person has spoken on, and each tier. */
function rows(role: string, memory: RoleMemory, { models, policy, now }: LearnedContext) {
  const rungs = TIERS.map((tier) => ({ tier, model: models[tier] }));
  return Complexity.options.flatMap((complexity): CascadeView['beliefs'] => {
    const isSeen = memory.windows.some((each) => each.complexity === complexity);
    const word = pinned(memory.control, complexity);
    if (!isSeen && word?.scope !== complexity) return [];
    const options = optionsOf(memory, complexity, rungs, policy.min_observations, now.toISOString());
    return options.map((option, at) => {
      const next = options[at + 1]?.cost_usd ?? null;
      const { mean_cost_usd: _, spent: _spent, ...rest } = option;
      return {
        role,
        complexity,
        ...rest,
        break_even: option.cost_usd === null || !next ? null : Math.min(1, option.cost_usd / next),
        pinned: word?.tier === option.tier,
      };
    });
  });
}

const view = (memories: ReadonlyMap<string, RoleMemory>, context: LearnedContext): CascadeView => ({
  policy: context.policy,
  beliefs: [...memories].flatMap(([role, memory]) => rows(role, memory, context)),
  history: [...memories].flatMap(([role, { control }]) => control.history.map((each) => ({ role, ...each }))),
});

/** What is believed of the models, by all roles that ever had a task, or by one. */
export async function learnedView(
  role: string | undefined,
  counts: CountStore,
  context: LearnedContext,
): Promise<CascadeView> {
  const roles = role === undefined ? [...(await counts.counts()).roles.keys()].sort() : [role];
  const memories = new Map<string, RoleMemory>();
  for (const each of roles) memories.set(each, await context.beliefs.read(each));
  return view(memories, context);
}

async function spoken(
  role: string,
  change: (control: Control) => Control | null,
  context: LearnedContext,
): Promise<CascadeView> {
  const control = await context.beliefs.control(role, change);
  // What was written counts, also where the query is some moments behind.
  return view(new Map([[role, { ...(await context.beliefs.read(role)), control }]]), context);
}

interface Word {
  readonly by: string;
  readonly reason: string;
}

/** Has one tier try first for a role, or lifts that. */
export const pinTier = (
  role: string,
  { complexity, tier }: { readonly complexity: Complexity | 'any'; readonly tier: Tier | null },
  word: Word,
  context: LearnedContext,
): Promise<CascadeView> =>
  spoken(role, (control) => pin(control, complexity, tier, { ...word, now: context.now }), context);

/** Forgets what was learned of a tier for a role, or of all. */
export const resetLearned = (
  role: string,
  tier: Tier | null,
  word: Word,
  context: LearnedContext,
): Promise<CascadeView> =>
  spoken(role, (control) => reset(control, tier, { ...word, now: context.now }), context);
