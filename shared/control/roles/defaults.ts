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
export const resolveBuiltinRole = (name: string, unread_reason: string | null = null): ResolvedRole =>
  resolveRole(findBuiltinRole(name)?.config ?? RoleConfig.parse({}), {
    source: unread_reason === null ? 'builtin' : 'unread',
    unread_reason: unread_reason === null ? null : truncateText(unread_reason, 500),
  });
