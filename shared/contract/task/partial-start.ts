import type { FailureMode } from '../failure/failure-record.ts';
import type { TaskSubmission } from '../submission/schema.ts';
import { isTerminalStatus } from './status.ts';
import type { Task } from './task.ts';

/** What is known of a dependency when a task is made or re-examined. */
export type TaskDependency = Pick<Task, 'id' | 'status'> &
  Partial<Pick<Task, 'failure' | 'superseded_by' | 'fix_up_of'>>;

/** Which part of a task's dependencies must be done, for the others to be missed, by how those failed; the seed's modes. */
export const MIN_DONE_SHARES_FOR_PARTIAL_START: Readonly<Record<FailureMode, number>> = {
  timeout: 0.3,
  'rate-limit': 0.3,
  error: 0.5,
  quality: 0.7,
  hollow: 0.7,
  cascade: 0.8,
};

/** Of what was withdrawn, something else depended on it too. */
const failureModeOf = ({ status, failure }: TaskDependency): FailureMode =>
  status === 'cancelled' ? 'cascade' : (failure?.mode ?? 'error');

/**
 * Whether a task may start although dependencies have failed for good; null: it waits. None runs with nothing done, whatever the
 * threshold.
 */
export function evaluatePartialDependencyStart(
  policy: TaskSubmission['partial_dependencies'],
  dependencies: readonly TaskDependency[],
): NonNullable<Task['partial_start']> | null {
  const missing = dependencies.filter(({ status }) => status !== 'done');
  if (policy === 'wait' || missing.length === 0 || missing.some(({ status }) => !isTerminalStatus(status)))
    return null;
  const asked = missing.map((each) => MIN_DONE_SHARES_FOR_PARTIAL_START[failureModeOf(each)]);
  const threshold = policy === 'lenient' ? Math.min(...asked) : Math.max(...asked);
  const done = dependencies.length - missing.length;
  const share = Math.round((done / dependencies.length) * 1e4) / 1e4;
  return done > 0 && share >= threshold
    ? { missing_dependencies: missing.map(({ id }) => id), completed_share: share, threshold }
    : null;
}
