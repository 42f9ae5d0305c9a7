import * as z from 'zod';
import type { SubmitTask } from '../task/schema.ts';

/** Cheapest first. A tier is a role; which model fills it is configuration. */
export const TIERS = ['haiku', 'sonnet', 'opus'] as const;
export type Tier = (typeof TIERS)[number];
export const TierModels = z.strictObject({
  haiku: z.string().min(1),
  sonnet: z.string().min(1),
  opus: z.string().min(1),
});
export type TierModels = z.infer<typeof TierModels>;

export const DEFAULT_TIER_MODELS: TierModels = {
  haiku: 'claude-haiku-4-5',
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
};

/** Roles whose mistakes cost more than a cheap model saves. */
const HIGH_STAKES_ROLES: readonly string[] = ['manager', 'architect', 'security'];

type Stakes = Pick<SubmitTask, 'role' | 'complexity' | 'scope' | 'priority'>;

export const isHighStakes = (task: Stakes): boolean =>
  HIGH_STAKES_ROLES.includes(task.role) ||
  task.complexity === 'high' ||
  task.scope === 'large' ||
  task.priority === 1;

export const isTier = (model: string): model is Tier => (TIERS as readonly string[]).includes(model);

/** A rung of the ladder that a task climbs. `tier` is null for a model that is no tier. */
export interface Rung {
  readonly tier: Tier | null;
  readonly model: string;
}

/**
 * The models a task may climb, cheapest first. High-stakes tasks skip the first tier; a task that names a tier starts there;
 * a task that names a model id stays on that model.
 */
export function ladder(
  task: Stakes & { readonly model?: string | undefined },
  models: TierModels,
): readonly Rung[] {
  const rungs = TIERS.map((tier) => ({ tier, model: models[tier] }));
  if (task.model !== undefined) {
    const wanted = task.model;
    const at = rungs.findIndex((rung) => rung.tier === wanted || rung.model === wanted);
    return at < 0 ? [{ tier: null, model: wanted }] : rungs.slice(at);
  }
  return isHighStakes(task) ? rungs.slice(1) : rungs;
}

/** Effort of an attempt: the task's own, else `max` on the top tier, `low` on the cheapest, `high` between. */
export function effortFor(
  task: { readonly effort?: SubmitTask['effort'] | undefined },
  rung: Rung,
): NonNullable<SubmitTask['effort']> {
  if (task.effort !== undefined) return task.effort;
  if (rung.tier === 'opus') return 'max';
  return rung.tier === 'haiku' ? 'low' : 'high';
}
