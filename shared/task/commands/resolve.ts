import type { FailureClass } from '../attempt.ts';
import type { Task } from '../task.ts';
import { type Change, change } from './change.ts';
import { ended } from './settle.ts';

/** Writes down what the base ref stands for, once: a later answer of the repository changes nothing. */
export function resolveBase(task: Task, commit: string, now: Date): Change | null {
  return task.base_commit === null ? change(task, 'resolve', now, { base_commit: commit }) : null;
}

/** There is nothing to start from: no agent can mend that. */
export function failWithoutBase(task: Task, failureClass: FailureClass, message: string, now: Date): Change {
  return change(task, 'fail', now, {
    ...ended(now),
    failure: { code: failureClass, message: `${failureClass}: ${message}`.slice(0, 4_000) },
  });
}
