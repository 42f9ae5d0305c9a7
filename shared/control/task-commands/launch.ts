import type { LaunchKind } from '../../contract/launch-kind.ts';
import type { ContainerLaunch } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { taskEndFields } from './finish-task.ts';
import { findLaunchGiveUpReason, MAX_EXCUSED_LAUNCHES } from './launch-limits.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toEpochSeconds,
  toIsoTime,
} from './task-change.ts';

/** Seconds that a container may take to start (image pull, network interface) before its agent's first sign of life is overdue. */
export const CONTAINER_START_SECONDS = 300;

/** Does the platform run a box of this kind for the task? An outside agent's work is in nobody's. */
export const isLaunchedByPlatform = ({ runner }: Pick<Task, 'runner'>, kind: LaunchKind): boolean =>
  kind !== 'agent' || runner !== 'external';

/** What a box of `kind` still has to bring: when it is there already, nothing needs to be launched. */
export function hasContainerReported(task: Task, number: number, kind: LaunchKind): boolean {
  const attempt = task.attempts.find((each) => each.number === number);
  if (!attempt || attempt.number !== task.attempts.at(-1)?.number || attempt.outcome !== null) return true;
  if (kind === 'agent') return attempt.report !== null;
  if (kind === 'gates') return attempt.verification !== null || attempt.verification_failure !== null;
  if (kind === 'challenger') return attempt.challenge?.outcome !== null;
  return task.delivery?.state === 'delivered' || task.delivery?.state === 'refused';
}

const launchEvent = (kind: LaunchKind): 'keep' | 'review' => (kind === 'agent' ? 'keep' : 'review');

/** Records a box before it is started, so that a repeated message finds it and starts nothing twice. Null: it is recorded already. */
export function recordLaunch(
  task: Task,
  number: number,
  kind: LaunchKind,
  launch: ContainerLaunch,
  now: Date,
): TaskChange | null {
  const attempt = requireRunningAttempt(task, number);
  if (attempt[kind]?.number === launch.number) return null;
  // The agent's lease runs from the start of its box: waiting in a queue is nobody's silence.
  const lease = kind === 'agent' ? { lease_until: toEpochSeconds(now) + CONTAINER_START_SECONDS } : {};
  return applyTaskEvent(task, launchEvent(kind), now, {
    attempts: replaceCurrentAttempt(task, { [kind]: launch, ...lease }),
  });
}

/** The box could not be started just now: it counts as launched only after `seconds`, so that nobody takes it for lost meanwhile. */
export function postponeLaunch(
  task: Task,
  number: number,
  kind: LaunchKind,
  seconds: number,
  now: Date,
): TaskChange | null {
  const attempt = task.attempts.at(-1);
  const launch = attempt?.[kind];
  if (!attempt || !launch || attempt.number !== number || hasContainerReported(task, number, kind))
    return null;
  const lease =
    kind === 'agent' ? { lease_until: toEpochSeconds(now) + seconds + CONTAINER_START_SECONDS } : {};
  return applyTaskEvent(task, launchEvent(kind), now, {
    attempts: replaceCurrentAttempt(task, {
      [kind]: { ...launch, launched_at: toIsoTime(new Date(now.getTime() + seconds * 1_000)) },
      ...lease,
    }),
  });
}

/** ECS will never start this agent's box as it is asked for: no retry and no model mends that. Null: the attempt is over already. */
export function failTaskOnRefusedLaunch(
  task: Task,
  number: number,
  why: string,
  now: Date,
): TaskChange | null {
  if (hasContainerReported(task, number, 'agent')) return null;
  return applyTaskEvent(task, 'fail', now, {
    attempts: replaceCurrentAttempt(task, { outcome: 'infra_failed', ended_at: toIsoTime(now) }),
    ...taskEndFields(now),
    failure: { code: 'launch_refused', message: why },
  });
}

/** Marks the last box of this kind as one after which no other is started. */
export function stopLaunching(task: Task, number: number, kind: LaunchKind, now: Date): TaskChange | null {
  const launch = task.attempts.at(-1)?.[kind];
  if (!launch || findLaunchGiveUpReason(launch, kind) || hasContainerReported(task, number, kind))
    return null;
  return applyTaskEvent(task, launchEvent(kind), now, {
    attempts: replaceCurrentAttempt(task, {
      [kind]: { ...launch, lost: true, excused_losses: MAX_EXCUSED_LAUNCHES },
    }),
  });
}
