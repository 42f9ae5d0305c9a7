import type { FailureCode } from './failure-class.ts';
import type { FailureClass, FailureMode } from './failure-record.ts';

/**
 * What follows from a failure: the same tier again as one more attempt of the budget; the same tier again, which is told what the platform
 * has refused, and never a stronger one (`same_tier`); the same tier again as a retry, because it was
 * nobody's fault, at once or when the provider can do it; a model that can do more; nothing, because the task or the deployment must
 * change first; or whatever follows from what the attempt left and said.
 */
export type FailureRemedy = 'again' | 'same_tier' | 'excused' | 'later' | 'stronger_tier' | 'end' | 'judge';

interface FailureClassPolicy {
  /** Can trying the same again help? As the seed documents; of `unknown`: no. */
  readonly retryable: boolean;
  readonly mode: FailureMode;
  /** What would help, in words. */
  readonly recovery: string;
  readonly remedy: FailureRemedy;
}

export const FAILURE_CLASS_POLICIES: Readonly<Record<FailureClass, FailureClassPolicy>> = {
  timeout: { retryable: true, mode: 'timeout', recovery: 'more time, or a smaller task', remedy: 'again' },
  invalid_tool_args: {
    retryable: false,
    mode: 'error',
    recovery: 'a stronger model, or other words in the task',
    remedy: 'stronger_tier',
  },
  missing_target_path: {
    retryable: false,
    mode: 'error',
    recovery: 'a stronger model, or other paths in the task',
    remedy: 'stronger_tier',
  },
  policy_blocked: {
    retryable: false,
    mode: 'error',
    recovery: 'another model, policy or task',
    remedy: 'stronger_tier',
  },
  permission_required: { retryable: false, mode: 'error', recovery: 'a permission', remedy: 'judge' },
  provider_spend_limit: {
    retryable: false,
    mode: 'rate-limit',
    recovery: 'a higher limit, or another key',
    remedy: 'end',
  },
  provider_auth: { retryable: false, mode: 'error', recovery: 'another credential', remedy: 'end' },
  rate_limited: {
    retryable: true,
    mode: 'rate-limit',
    recovery: 'to wait, or another provider',
    remedy: 'later',
  },
  provider_transient: {
    retryable: true,
    mode: 'error',
    recovery: 'to wait, or another provider',
    remedy: 'later',
  },
  unknown: { retryable: false, mode: 'error', recovery: 'a stronger model, or a person', remedy: 'judge' },
};

interface FailureCodePolicy {
  /** Null: it says too little; what else is known decides. */
  readonly class: FailureClass | null;
  /** Where it says more than its class does. */
  readonly remedy?: FailureRemedy;
  readonly retryable?: boolean;
}

/** What our boxes and the gateway tell apart, in the seed's words. */
export const FAILURE_CODE_POLICIES: Readonly<Record<FailureCode, FailureCodePolicy>> = {
  agent_failed: { class: null },
  agent_blocked: { class: 'permission_required' },
  timeout: { class: 'timeout' },
  rate_limited: { class: 'rate_limited' },
  provider_overloaded: { class: 'provider_transient' },
  provider_transient: { class: 'provider_transient' },
  provider_spend_limit: { class: 'provider_spend_limit' },
  provider_auth: { class: 'provider_auth' },
  model_invalid: { class: 'invalid_tool_args', remedy: 'end' },
  context_too_long: { class: 'invalid_tool_args' },
  refused: { class: 'policy_blocked' },
  // As many turns again would be used up again.
  turn_limit: { class: 'timeout', remedy: 'stronger_tier' },
  // No provider is at fault when a program is killed.
  agent_crashed: { class: 'unknown', remedy: 'excused' },
  repository_unavailable: { class: 'missing_target_path', remedy: 'end' },
  base_ref_missing: { class: 'missing_target_path', remedy: 'end' },
  base_tree_invalid: { class: 'missing_target_path', remedy: 'end' },
  patch_does_not_apply: { class: null },
  patch_too_large: { class: 'policy_blocked', remedy: 'same_tier' },
  // The refusal says what to do: a stronger model would be refused the same.
  work_not_deliverable: { class: 'policy_blocked', remedy: 'same_tier' },
  config_invalid: { class: 'invalid_tool_args', remedy: 'end' },
  container_lost: { class: 'provider_transient', remedy: 'excused' },
  interrupted: { class: 'provider_transient', remedy: 'excused' },
  launch_refused: { class: 'policy_blocked', remedy: 'end' },
  lease_expired: { class: 'timeout', remedy: 'excused' },
  delivery_refused: { class: 'permission_required' },
  unknown: { class: null },
};

/** What follows when a code is all that is known. */
export const remedyForCode = (code: FailureCode): FailureRemedy => {
  const { class: of, remedy } = FAILURE_CODE_POLICIES[code];
  return remedy ?? FAILURE_CLASS_POLICIES[of ?? 'unknown'].remedy;
};

/** Whether the platform did not take what the agent left; the reason is the platform's own. */
export const isPatchRefusal = (code: FailureCode): boolean => remedyForCode(code) === 'same_tier';

const EXCUSED_REMEDIES: readonly FailureRemedy[] = ['excused', 'later'];

/** It was nobody's fault: the attempt counts as a retry and not as one of the budget, and nothing climbs. */
export const isRemedyOutsideAttemptBudget = (remedy: FailureRemedy): boolean =>
  EXCUSED_REMEDIES.includes(remedy);
