import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { TaskStatus } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { requireRunningAttempt } from './task-change.ts';

/** The last sign of life of an attempt, kept beside its task: so that a beat writes no task, and wakes nobody who follows the tasks. */
export interface Heartbeat {
  readonly attempt: number;
  /** Epoch seconds; null: there was none, and there will be none. */
  readonly lease_until: number | null;
  readonly progress: Attempt['progress'];
}

const HEARTBEAT_STATUSES: readonly TaskStatus[] = ['in_progress'];

/** The running attempt whose signs of life are kept beside the task; null where there is none. The first one of an attempt is written to the task. */
export function findHeartbeatAttempt(task: Task): Attempt | null {
  const attempt = currentAttempt(task);
  return attempt &&
    attempt.outcome === null &&
    attempt.report === null &&
    HEARTBEAT_STATUSES.includes(task.status)
    ? attempt
    : null;
}

/** A task as its agent's last sign of life says: the lease runs to the later end. */
export function applyHeartbeat(task: Task, beat: Heartbeat): Task {
  const attempt = findHeartbeatAttempt(task);
  if (attempt?.number !== beat.attempt) return task;
  const alive: Attempt = {
    ...attempt,
    lease_until: Math.max(attempt.lease_until, beat.lease_until ?? 0),
    progress:
      beat.progress && beat.progress.at > (attempt.progress?.at ?? '') ? beat.progress : attempt.progress,
  };
  return { ...task, attempts: [...task.attempts.slice(0, -1), alive] };
}

/** The attempt `number`, if it may give a sign of life; else a refusal. Whether its lease still runs is asked with the write. */
export function requireHeartbeatAttempt(task: Task, number: number): Attempt {
  const attempt = requireRunningAttempt(task, number);
  if (attempt.report)
    throw new Refusal('stale_lease', `attempt ${number} of task ${task.id} has already reported`);
  return attempt;
}
