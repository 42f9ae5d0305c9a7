import { shortest } from '../../contract/task/fit.ts';
import { TRANSITIONS } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { type Change, change, nowIso, withAttempt } from './change.ts';
import { ended } from './settle.ts';

/**
 * Ends a task whose next state cannot be written because the item is full: trying again would never end. Null: the task is in a state
 * that it cannot fail in.
 */
export function failTooLarge(task: Task, wanted: Change): Change | null {
  if (!(TRANSITIONS.fail.from as readonly string[]).includes(task.status)) return null;
  const now = new Date(wanted.task.updated_at);
  const attempt = currentAttempt(task);
  const failed = change(task, 'fail', now, {
    ...ended(now),
    ...(attempt && attempt.outcome === null
      ? { attempts: withAttempt(task, { outcome: 'failed', ended_at: nowIso(now) }) }
      : {}),
    failure: {
      code: 'task_too_large',
      message: `the task takes more than the table can hold, so what came next (${wanted.event}) could not be written; submit it again with less text`,
    },
  });
  return { ...failed, task: shortest(failed.task) };
}
