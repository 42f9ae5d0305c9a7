import * as z from 'zod';
import { TIERS } from '../cascade/tiers.ts';
import { firstOf } from '../task/cut.ts';
import { Effort } from '../task/schema.ts';
import { builtinRole } from './known.ts';
import { RoleConfig } from './schema.ts';

/** What a role means for the platform's own choices: the model, and what an attempt may cost. Read before the first attempt. */
export const RoleInForce = z.object({
  from: z
    .enum(['repository', 'builtin', 'unread'])
    .describe(
      'Whose settings these are: of the base commit, or built in. `unread`: the base could not be asked, and they are the built-in ones.',
    ),
  why_unread: z.string().nullable(),
  model: z.enum(TIERS),
  effort: Effort,
  max_cost_usd: z.number().nullable(),
});
export type RoleInForce = z.infer<typeof RoleInForce>;

type Origin = Pick<RoleInForce, 'from' | 'why_unread'>;

/** The settings of a role as the platform counts with them. */
export const inForce = (config: RoleConfig, origin: Origin): RoleInForce => ({
  ...origin,
  model: config.model,
  effort: config.effort,
  max_cost_usd: config.limits.max_cost_usd ?? null,
});

/** What counts for a role where nothing of the repository does. */
export const withoutRepository = (name: string, why_unread: string | null = null): RoleInForce =>
  inForce(builtinRole(name)?.config ?? RoleConfig.parse({}), {
    from: why_unread === null ? 'builtin' : 'unread',
    why_unread: why_unread === null ? null : firstOf(why_unread, 500),
  });
