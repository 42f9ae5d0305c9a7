/** Why an attempt ended without usable work; the seed's vocabulary plus what our boxes can tell apart. */

import * as z from 'zod';

export const FAILURE_CODES = [
  'agent_failed',
  'agent_blocked',
  'timeout',
  'rate_limited',
  'provider_overloaded',
  'provider_transient',
  'provider_spend_limit',
  'provider_auth',
  'model_invalid',
  'context_too_long',
  'refused',
  'turn_limit',
  'agent_crashed',
  'repository_unavailable',
  'base_ref_missing',
  'base_tree_invalid',
  'patch_does_not_apply',
  'patch_too_large',
  'work_not_deliverable',
  'config_invalid',
  'container_lost',
  'interrupted',
  'launch_refused',
  'lease_expired',
  'delivery_refused',
  'unknown',
] as const;
export const FailureCode = z.enum(FAILURE_CODES);
export type FailureCode = z.infer<typeof FailureCode>;

/** Longest wait in seconds that a provider is believed: a weekly limit, and a day. */
export const LONGEST_LIMIT_SECONDS = 8 * 86_400;
