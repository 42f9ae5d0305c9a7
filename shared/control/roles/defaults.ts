import type { ResolvedRole, RoleSource } from '../../contract/roles/resolved-role.ts';
import { RoleConfig } from '../../contract/roles/schema.ts';
import { truncateText } from '../../lib/truncate.ts';
import { findBuiltinRole } from './builtin-role.ts';

/** The settings of a role as the platform counts with them. */
export const resolveRole = (config: RoleConfig, origin: RoleSource): ResolvedRole => ({
  ...origin,
  model: config.model,
  effort: config.effort,
  max_cost_usd: config.limits.max_cost_usd ?? null,
});
/** What counts for a role where nothing of the repository does. */
export const resolveBuiltinRole = (name: string, why_unread: string | null = null): ResolvedRole =>
  resolveRole(findBuiltinRole(name)?.config ?? RoleConfig.parse({}), {
    from: why_unread === null ? 'builtin' : 'unread',
    why_unread: why_unread === null ? null : truncateText(why_unread, 500),
  });
