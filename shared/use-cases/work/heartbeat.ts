import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { attemptThatBeats, attemptWithBeats, withBeat } from '../../control/task-commands/beat.ts';
import { epochSeconds } from '../../control/task-commands/change.ts';
import { keepAlive } from '../../control/task-commands/work.ts';
import type { BeatStore } from '../../store/beats.ts';
import type { TaskStore } from '../../store/tasks.ts';

export interface HeartbeatContext {
  readonly tasks: TaskStore;
  readonly beats: BeatStore;
  readonly leaseSeconds: number;
  readonly now: Date;
}

/**
 * Extends the lease of an attempt. Its first sign of life moves the task; those that follow are one conditional write beside it.
 * Answers with the task as it stands.
 */
export async function heartbeat(
  id: string,
  number: number,
  progress: Attempt['progress'],
  { tasks, beats, leaseSeconds, now }: HeartbeatContext,
): Promise<Task> {
  const task = await tasks.require(id);
  const attempt = attemptThatBeats(task, number);
  if (attemptWithBeats(task) === null)
    return tasks.change(task, (each) => keepAlive(each, number, leaseSeconds, now, progress));
  const until = epochSeconds(now) + leaseSeconds;
  if (!(await beats.beat(id, attempt, until, progress, now)))
    throw new Refusal('stale_lease', `the lease of attempt ${number} of task ${id} ran out`);
  return withBeat(task, { attempt: number, lease_until: until, progress });
}
