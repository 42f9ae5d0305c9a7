import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { TASK_LIFECYCLE, type TaskLifecycleEvent } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';

/** A task after an event. The store writes it on the condition that the event was still allowed: version and status unchanged. */
export interface TaskChange {
  readonly event: TaskLifecycleEvent;
  readonly task: Task;
  /** Who must not be the one that has asked for the approval which this decides: part of the write's condition. */
  readonly excludedDecider?: string;
  /** Who judges the work by this write. The table refuses it where one of them is who did the work of the present attempt. */
  readonly reviewers?: readonly string[];
}

/** A command: a pure function of the task. Null: there is nothing to change (a repeat), which is an answer, not an error. */
export type TaskCommand = (task: Task) => TaskChange | null;

/** As `command`, for a caller that has seen the task at `version` (`If-Match`); undefined: whatever it has become meanwhile. */
export const withVersionCheck =
  (version: number | undefined, command: TaskCommand): TaskCommand =>
  (task) => {
    requireTaskVersion(task, version);
    return command(task);
  };

export function requireTaskVersion(task: Task, version: number | undefined): void {
  if (version !== undefined && task.version !== version)
    throw new Refusal('version_mismatch', `task ${task.id} is at version ${task.version}, not ${version}`);
}

export const toIsoTime = (now: Date): string => now.toISOString();
export const toEpochSeconds = (now: Date): number => Math.floor(now.getTime() / 1_000);

/** Applies `event` with `fields`, or refuses with `conflict` naming the present status and what would be needed. */
export function applyTaskEvent(
  task: Task,
  event: TaskLifecycleEvent,
  now: Date,
  fields: Partial<Task>,
): TaskChange {
  const status = TASK_LIFECYCLE.next(task.status, event);
  if (status === null)
    throw new Refusal('conflict', TASK_LIFECYCLE.conflictMessage(task.id, task.status, event));
  return {
    event,
    task: { ...task, ...fields, status, version: task.version + 1, updated_at: toIsoTime(now) },
  };
}

/** Nobody judges their own work: `judge` may not be who did the work of an attempt. A managed one was done by no caller. @throws Refusal */
export function refuseReviewOfOwnWork(
  task: Pick<Task, 'id' | 'runner'>,
  { lease_holder: holder, number }: Pick<Attempt, 'lease_holder' | 'number'>,
  judge: string,
): void {
  if (task.runner === 'external' && holder === judge)
    throw new Refusal(
      'self_review',
      `${judge} did the work of attempt ${number} of task ${task.id}; nobody judges their own`,
    );
}

/** The task's attempts with the current one replaced. */
export function replaceCurrentAttempt(task: Task, fields: Partial<Attempt>): Attempt[] {
  const attempt = currentAttempt(task);
  if (!attempt) throw new Refusal('conflict', `task ${task.id} has no attempt`);
  return [...task.attempts.slice(0, -1), { ...attempt, ...fields }];
}

/** The current attempt, if it is `number` and still running; else a refusal `stale_lease`. */
export function requireRunningAttempt(task: Task, number: number): Attempt {
  const attempt = currentAttempt(task);
  if (!attempt || attempt.number !== number || attempt.outcome !== null)
    throw new Refusal(
      'stale_lease',
      `attempt ${number} of task ${task.id} is over${attempt && attempt.number !== number ? `; attempt ${attempt.number} is the current one` : ''}`,
    );
  return attempt;
}

/** The attempt by number, whether it is over or not; `not_found` when there never was one. */
export function requireAttempt(task: Task, number: number): Attempt {
  const attempt = task.attempts.find((each) => each.number === number);
  if (!attempt) throw new Refusal('not_found', `task ${task.id} has no attempt ${number}`);
  return attempt;
}
