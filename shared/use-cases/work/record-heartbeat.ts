import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import {
  applyHeartbeat,
  findHeartbeatAttempt,
  requireHeartbeatAttempt,
} from '../../control/task-commands/heartbeat.ts';
import { renewLease } from '../../control/task-commands/report-work.ts';
import { toEpochSeconds } from '../../control/task-commands/task-change.ts';
import type { HeartbeatStore } from '../../store/heartbeats.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface HeartbeatContext {
  readonly tasks: TaskStore;
  readonly heartbeats: HeartbeatStore;
  readonly leaseSeconds: number;
  readonly now: Date;
}

/**
 * Extends the lease of an attempt. Its first sign of life moves the task; those that follow are one conditional write beside it.
 * Answers with the task as it stands.
 */
export async function recordHeartbeat(
  id: string,
  number: number,
  progress: Attempt['progress'],
  { tasks, heartbeats, leaseSeconds, now }: HeartbeatContext,
): Promise<Task> {
  const task = await tasks.require(id);
  const attempt = requireHeartbeatAttempt(task, number);
  if (findHeartbeatAttempt(task) === null)
    return tasks.applyCommand(task, (each) => renewLease(each, number, leaseSeconds, now, progress));
  const until = toEpochSeconds(now) + leaseSeconds;
  if (!(await heartbeats.extendLease(id, attempt, until, progress, now)))
    throw new Refusal('stale_lease', `the lease of attempt ${number} of task ${id} ran out`);
  return applyHeartbeat(task, { attempt: number, lease_until: until, progress });
}
