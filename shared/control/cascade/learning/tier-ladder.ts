import type { ReasoningEffortLevel } from '../../../contract/agents/effort.ts';
import { selectTierModels, TIERS, type Tier, type TierModels } from '../../../contract/agents/tiers.ts';
import type { TaskSubmission } from '../../../contract/submission/schema.ts';
import { routeTask, type TaskRoute } from '../../routing/route-task.ts';

/** Roles whose mistakes cost more than a cheap model saves. */
const HIGH_STAKES_ROLES: readonly string[] = ['manager', 'architect', 'security'];

type Stakes = Pick<TaskSubmission, 'role' | 'complexity' | 'scope' | 'priority'>;

export const isHighStakes = (task: Stakes): boolean =>
  HIGH_STAKES_ROLES.includes(task.role) ||
  task.complexity === 'high' ||
  task.scope === 'large' ||
  task.priority === 1;

/** A rung of the ladder that a task climbs. `tier` is null for a model that is no tier. */
export interface ModelLadderStep {
  readonly tier: Tier | null;
  readonly model: string;
}

type Request = Stakes & Partial<Pick<TaskSubmission, 'model' | 'effort' | 'adapter'>>;

const rank = (tier: Tier): number => TIERS.indexOf(tier);

/**
 * The tier that tries first. What the task is worth is its route's tier; where that is not the top and the stakes are ordinary, a
 * cheaper one may try before it, because a failing verdict costs one cheap attempt and a passing one saves a dear one.
 */
function firstTier(task: Request, { tier }: TaskRoute): Tier {
  if (tier === null || task.model !== undefined || rank(tier) === TIERS.length - 1) return tier ?? 'haiku';
  return isHighStakes(task) ? tier : TIERS[0];
}

/**
 * The models a task may climb, cheapest first. A task that names a tier starts there; a task that names a model stays on it, also where
 * that is the model of a tier.
 */
export function buildModelLadder(task: Request, deployed: TierModels): readonly ModelLadderStep[] {
  const models = selectTierModels(task.adapter, deployed);
  const rungs = TIERS.map((tier) => ({ tier, model: models[tier] }));
  if (task.model !== undefined) {
    const wanted = task.model;
    const at = rungs.findIndex(({ tier }) => tier === wanted);
    return at < 0
      ? [rungs.find(({ model }) => model === wanted) ?? { tier: null, model: wanted }]
      : rungs.slice(at);
  }
  return rungs.slice(rank(firstTier(task, routeTask(task))));
}

/** Effort of an attempt: the route's on the route's tier, `low` on a cheaper one that tries first, `max` on one that was climbed to. */
export function effortForLadderStep(task: Request, { tier }: ModelLadderStep): ReasoningEffortLevel {
  const planned = routeTask(task);
  if (task.effort !== undefined || tier === null || planned.tier === null || tier === planned.tier)
    return planned.effort;
  return rank(tier) < rank(planned.tier) ? 'low' : 'max';
}
