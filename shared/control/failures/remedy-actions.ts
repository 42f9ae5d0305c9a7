import type { FailureAction, FailureActionOverrides } from '../../contract/failure/error-action-overrides.ts';
import type { FailureRemedy } from '../../contract/failure/failure-classes.ts';
import type { ClassifiedFailure } from './classify-failure.ts';

/** The three words, read off what the cascade does: there is no second table of failures. */
export const ERROR_ACTION_OF_REMEDY: Readonly<Record<FailureRemedy, FailureAction>> = {
  again: 'retry',
  same_tier: 'retry',
  excused: 'retry',
  later: 'retry',
  stronger_tier: 'escalate',
  judge: 'escalate',
  end: 'fail',
};

/** What a task's own word means to the cascade. A retry that it asks for is an attempt of its budget, so that it has an end. */
const REMEDY_FOR_ACTION: Readonly<Record<FailureAction, FailureRemedy>> = {
  retry: 'again',
  escalate: 'stronger_tier',
  fail: 'end',
};

/** A failure as a task wants it treated. Where its word and the table's are the same, the table's finer one stays. */
export function applyErrorActionOverrides(
  failure: ClassifiedFailure,
  asked: FailureActionOverrides | undefined,
): ClassifiedFailure {
  const action = asked?.[failure.class];
  return action === undefined || ERROR_ACTION_OF_REMEDY[failure.remedy] === action
    ? failure
    : { ...failure, remedy: REMEDY_FOR_ACTION[action] };
}
