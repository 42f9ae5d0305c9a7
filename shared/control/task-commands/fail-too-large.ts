import { shrinkTaskFully } from '../../contract/task/shrink-task.ts';
import { TASK_LIFECYCLE } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { taskEndFields } from './finish-task.ts';
import { applyTaskEvent, replaceCurrentAttempt, type TaskChange, toIsoTime } from './task-change.ts';

/**
 * Ends a task whose next state cannot be written because the item is full: trying again would never end. Null: the task is in a state
 * that it cannot fail in.
 */
export function failTooLargeTask(task: Task, wanted: TaskChange): TaskChange | null {
  if (TASK_LIFECYCLE.next(task.status, 'fail') === null) return null;
  const now = new Date(wanted.task.updated_at);
  const attempt = currentAttempt(task);
  const failed = applyTaskEvent(task, 'fail', now, {
    ...taskEndFields(now),
    ...(attempt && attempt.outcome === null
      ? { attempts: replaceCurrentAttempt(task, { outcome: 'failed', ended_at: toIsoTime(now) }) }
      : {}),
    failure: {
      code: 'task_too_large',
      message: `the task takes more than the table can hold, so what came next (${wanted.event}) could not be written; submit it again with less text`,
    },
  });
  return { ...failed, task: shrinkTaskFully(failed.task) };
}
