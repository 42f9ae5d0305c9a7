import type { Tier } from '../cascade/tiers.ts';
import type { Effort } from '../task/schema.ts';

/** What a role is given where the table says nothing of it. */
export interface RoleDefaults {
  readonly tier: Tier;
  readonly effort: Effort;
}
/** Of a role that the platform does not know before it has read the repository. */
export const NO_DEFAULTS: RoleDefaults = { tier: 'sonnet', effort: 'high' };
