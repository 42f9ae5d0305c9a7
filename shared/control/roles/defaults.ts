import type { Origin, RoleInForce } from '../../contract/roles/in-force.ts';
import { RoleConfig } from '../../contract/roles/schema.ts';
import { firstOf } from '../../lib/cut.ts';
import { builtinRole } from './known.ts';

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
