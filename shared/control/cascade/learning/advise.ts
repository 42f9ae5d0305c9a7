import { TIERS, type Tier, type TierModels } from '../../../contract/agents/tiers.ts';
import type { AttemptRoute } from '../../../contract/task/attempt.ts';
import type { Task } from '../../../contract/task/task.ts';
import type { RoleMemory } from './belief.ts';
import { choose } from './choose.ts';
import { pinned } from './control.ts';
import type { Rung } from './ladder.ts';
import { optionsOf } from './options.ts';
import type { CascadePolicy } from './policy.ts';
import { randomOf } from './random.ts';

/** What a choice is made with. */
export interface Learned {
  readonly policy: CascadePolicy;
  readonly memory: RoleMemory;
  /** ISO time: prices are of a day. */
  readonly at: string;
  /** What was applied in the place of the table's word, and by which proposal; absent: nothing. */
  readonly begins?: { readonly tier: Tier; readonly proposal: string } | null;
}

export interface Advice {
  readonly rung: Rung;
  /** Why, to follow the reason of the route. */
  readonly why: string;
  readonly choice: NonNullable<AttemptRoute['choice']>;
}

/** A task that names its model has chosen; a plan is always made by the best. */
const isFree = (task: Task): boolean =>
  task.model === undefined && task.runner === 'managed' && task.plan === undefined;

/**
 * Where to begin, or to go on after failed work, by a person's word or by what is learned; null: where the ladder says. Chance comes from the
 * task and the number of the attempt, so that a step that is repeated decides the same.
 */
export function advise(
  task: Task,
  rungs: readonly Rung[],
  isFirst: boolean,
  models: TierModels,
  { policy, memory, at, begins }: Learned,
): Advice | null {
  if (!isFree(task)) return null;
  const word = isFirst ? pinned(memory.control, task.complexity) : null;
  if (word) {
    const { tier, scope } = word;
    const { by, reason } =
      memory.control.history.find((each) => each.action === 'pin' && each.complexity === scope) ?? {};
    return {
      rung: rungs.find((each) => each.tier === tier) ?? { tier, model: models[tier] },
      why: `; ${tier} by ${by ?? 'a person'}'s word: ${reason ?? 'pinned'}`,
      choice: { by: 'pin', explored: false, weighed: [] },
    };
  }
  if (policy.policy === 'fixed') {
    const rung = isFirst && begins ? rungs.find(({ tier }) => tier === begins.tier) : undefined;
    return rung && begins
      ? {
          rung,
          why: `; ${begins.tier} first by proposal ${begins.proposal}`,
          choice: { by: 'proposal', explored: false, weighed: [] },
        }
      : null;
  }
  const options = optionsOf(memory, task.complexity, rungs, policy.min_observations, at);
  if (options.length !== rungs.length || options.length > TIERS.length) return null;
  const random = randomOf(`${task.id}#${task.budget_from}#${task.attempts.length + 1}`);
  const choice = choose(options, policy, random);
  const rung = choice && rungs[choice.index];
  if (!choice || !rung) return null;
  return {
    rung,
    why: `; ${policy.policy}: ${choice.reason}`,
    choice: { by: policy.policy, explored: choice.explored, weighed: [...choice.weighed] },
  };
}
