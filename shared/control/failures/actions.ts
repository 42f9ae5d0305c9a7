import type { Remedy } from '../../contract/failure/classes.ts';
import type { ErrorAction, ErrorActions } from '../../contract/failure/error-actions.ts';
import type { Classified } from './classify.ts';

/** The three words, read off what the cascade does: there is no second table of failures. */
export const ACTION_OF: Readonly<Record<Remedy, ErrorAction>> = {
  again: 'retry',
  excused: 'retry',
  later: 'retry',
  stronger_tier: 'escalate',
  judge: 'escalate',
  end: 'fail',
};

/** What a task's own word means to the cascade. A retry that it asks for is an attempt of its budget, so that it has an end. */
const REMEDY_FOR: Readonly<Record<ErrorAction, Remedy>> = {
  retry: 'again',
  escalate: 'stronger_tier',
  fail: 'end',
};

/** A failure as a task wants it treated. Where its word and the table's are the same, the table's finer one stays. */
export function asAsked(failure: Classified, asked: ErrorActions | undefined): Classified {
  const action = asked?.[failure.class];
  return action === undefined || ACTION_OF[failure.remedy] === action
    ? failure
    : { ...failure, remedy: REMEDY_FOR[action] };
}
