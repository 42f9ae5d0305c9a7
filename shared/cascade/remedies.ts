import type { FailureClass } from '../task/attempt.ts';

/**
 * What can be done about an attempt that ended in a failure of a known class: nobody's fault, so the same tier again, within the
 * task's retries; a model that can do more (a larger window is one of the things that a higher tier has); nothing, because the task
 * or the deployment must change first; or whatever follows from what the attempt left and said.
 */
export type Remedy = 'same_tier' | 'stronger_tier' | 'end' | 'judge';

export const REMEDIES: Readonly<Record<FailureClass, Remedy>> = {
  agent_failed: 'judge',
  agent_blocked: 'judge',
  timeout: 'judge',
  rate_limited: 'same_tier',
  provider_overloaded: 'same_tier',
  provider_transient: 'same_tier',
  provider_spend_limit: 'end',
  provider_auth: 'end',
  model_invalid: 'end',
  context_too_long: 'stronger_tier',
  refused: 'stronger_tier',
  turn_limit: 'stronger_tier',
  agent_crashed: 'same_tier',
  repository_unavailable: 'end',
  base_ref_missing: 'end',
  patch_does_not_apply: 'judge',
  patch_too_large: 'judge',
  config_invalid: 'end',
  box_lost: 'same_tier',
  lease_expired: 'same_tier',
  delivery_refused: 'judge',
  unknown: 'judge',
};
