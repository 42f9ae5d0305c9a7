import type { FailureClass } from '../../task/attempt.ts';

/** The seed's ten classes. */
export const SEED_CLASSES = [
  'timeout',
  'invalid_tool_args',
  'missing_target_path',
  'policy_blocked',
  'permission_required',
  'provider_spend_limit',
  'provider_auth',
  'rate_limited',
  'provider_transient',
  'unknown',
] as const;
export type SeedClass = (typeof SEED_CLASSES)[number];

/** How a failure counts for those who depend on the work; the seed's words. */
export type FailureMode = 'timeout' | 'rate-limit' | 'error';

/** Whether trying the same again can help, and how the failure counts. `unknown`: as the seed documents, no. */
export const SEED_FACTS: Readonly<
  Record<SeedClass, { readonly retryable: boolean; readonly mode: FailureMode; readonly recovery: string }>
> = {
  timeout: { retryable: true, mode: 'timeout', recovery: 'more time, or a smaller task' },
  invalid_tool_args: { retryable: false, mode: 'error', recovery: 'other words in the task' },
  missing_target_path: { retryable: false, mode: 'error', recovery: 'other paths in the task' },
  policy_blocked: { retryable: false, mode: 'error', recovery: 'another policy or task' },
  permission_required: { retryable: false, mode: 'error', recovery: 'a permission' },
  provider_spend_limit: { retryable: false, mode: 'rate-limit', recovery: 'a higher limit, or another key' },
  provider_auth: { retryable: false, mode: 'error', recovery: 'another credential' },
  rate_limited: { retryable: true, mode: 'rate-limit', recovery: 'to wait, or another provider' },
  provider_transient: { retryable: true, mode: 'error', recovery: 'to wait, or another provider' },
  unknown: { retryable: false, mode: 'error', recovery: 'a person looks' },
};

/** What our boxes and the gateway tell apart, in the seed's words; null: nothing that the seed has a class for. */
export const SEED_CLASS_OF: Readonly<Record<FailureClass, SeedClass | null>> = {
  agent_failed: null,
  agent_blocked: 'permission_required',
  timeout: 'timeout',
  rate_limited: 'rate_limited',
  provider_overloaded: 'provider_transient',
  provider_transient: 'provider_transient',
  provider_spend_limit: 'provider_spend_limit',
  provider_auth: 'provider_auth',
  model_invalid: 'invalid_tool_args',
  context_too_long: 'invalid_tool_args',
  refused: 'policy_blocked',
  turn_limit: 'timeout',
  agent_crashed: null,
  repository_unavailable: 'missing_target_path',
  base_ref_missing: 'missing_target_path',
  patch_does_not_apply: null,
  patch_too_large: 'policy_blocked',
  config_invalid: 'invalid_tool_args',
  box_lost: 'provider_transient',
  interrupted: 'provider_transient',
  launch_refused: 'policy_blocked',
  lease_expired: 'timeout',
  delivery_refused: 'permission_required',
  unknown: null,
};
