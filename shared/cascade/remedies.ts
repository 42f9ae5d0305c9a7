import type { FailureClass } from '../task/attempt.ts';

/**
 * What can be done about an attempt that ended in a failure of a known class: nobody's fault, so the same tier again, within the
 * task's retries, at once, or later because it passes by itself if one waits; a model that can do more (a larger window is one of the things that a higher tier has); nothing, because the task
 * or the deployment must change first; or whatever follows from what the attempt left and said.
 */
export type Remedy = 'same_tier' | 'later' | 'stronger_tier' | 'end' | 'judge';

export const REMEDIES: Readonly<Record<FailureClass, Remedy>> = {
  agent_failed: 'judge',
  agent_blocked: 'judge',
  timeout: 'judge',
  rate_limited: 'later',
  provider_overloaded: 'later',
  provider_transient: 'later',
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
  interrupted: 'same_tier',
  launch_refused: 'end',
  lease_expired: 'same_tier',
  delivery_refused: 'judge',
  unknown: 'judge',
};

const AGAIN: readonly Remedy[] = ['same_tier', 'later'];

/** It was nobody's fault: the attempt counts as a retry and not as one of the budget, and nothing climbs. */
export const isRepeated = (of: FailureClass): boolean => AGAIN.includes(REMEDIES[of]);

/** It passes by itself, if one waits. */
export const passes = (of: FailureClass): boolean => REMEDIES[of] === 'later';
