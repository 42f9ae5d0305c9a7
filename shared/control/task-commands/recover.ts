import type { LaunchKind } from '../../contract/launch-kind.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Attempt, ContainerLaunch } from '../../contract/task/attempt.ts';
import type { TaskStatus } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { buildFailureClassification } from '../failures/failure-classification.ts';
import { shouldStartCascade } from './base-commit.ts';
import { taskEndFields } from './finish-task.ts';
import { CONTAINER_START_SECONDS, hasContainerReported, isLaunchedByPlatform } from './launch.ts';
import { countLostLaunches } from './launch-limits.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toEpochSeconds,
  toIsoTime,
} from './task-change.ts';

/** Between boxes that did not start. */
const LONGEST_PAUSE_SECONDS = 120;
/** Characters of why a box did not start. */
const MAX_WHY = 500;

/** Gives an attempt that brought nothing back to the queue, or ends the task when its retries are used up. */
function reopenOrFail(
  task: Task,
  attempt: Attempt,
  outcome: 'expired' | 'infra_failed',
  why: string,
  now: Date,
): TaskChange {
  const over = { ...attempt, outcome, ended_at: toIsoTime(now) };
  const attempts = replaceCurrentAttempt(task, { ...over, failure: buildFailureClassification(over) });
  if (task.retries >= task.max_retries)
    return applyTaskEvent(task, 'fail', now, {
      attempts,
      ...taskEndFields(now),
      failure: {
        code: outcome === 'expired' ? 'lease_expired' : 'container_lost',
        message: `${why}; all ${task.max_retries} retries are used`,
      },
    });
  return applyTaskEvent(task, 'reopen', now, { attempts, retries: task.retries + 1 });
}

/** A lease that has run out reopens the task; it never fails it while retries are left. Null: the lease holds, or there is none. */
export function expireLease(task: Task, now: Date): TaskChange | null {
  const attempt = currentAttempt(task);
  if (!attempt || attempt.outcome !== null || attempt.report !== null) return null;
  if (!['claimed', 'in_progress'].includes(task.status) || attempt.lease_until >= toEpochSeconds(now))
    return null;
  return reopenOrFail(task, attempt, 'expired', `the lease of attempt ${attempt.number} ran out`, now);
}

/**
 * An outside agent gives its task back undone: it is open for others at once, and no retry is used up, because nothing has failed. A
 * task that the platform runs has no one to be given to.
 */
export function releaseClaimedTask(task: Task, number: number, reason: string, now: Date): TaskChange {
  if (task.runner !== 'external')
    throw new Refusal('conflict', `task ${task.id} is managed: the platform runs it`);
  const attempt = requireRunningAttempt(task, number);
  if (attempt.report) throw new Refusal('stale_lease', `attempt ${number} of task ${task.id} has reported`);
  return applyTaskEvent(task, 'reopen', now, {
    attempts: replaceCurrentAttempt(task, {
      outcome: 'expired',
      ended_at: toIsoTime(now),
      progress: { message: `handed back: ${reason}`, percent: null, at: toIsoTime(now) },
    }),
  });
}

/** The launch of a box that is still awaited; null where it has reported, is known to be lost, or another has taken its place. */
function findAwaitedAttempt(
  task: Task,
  number: number,
  kind: LaunchKind,
  launchNumber: number,
): { attempt: Attempt; launch: ContainerLaunch } | null {
  const attempt = currentAttempt(task);
  const launch = attempt?.[kind];
  if (!attempt || !launch || launch.number !== launchNumber || launch.lost) return null;
  if (hasContainerReported(task, number, kind)) return null;
  const statuses: readonly TaskStatus[] =
    kind === 'agent' ? ['claimed', 'in_progress', 'auth_required'] : ['in_review'];
  return statuses.includes(task.status) ? { attempt, launch } : null;
}

/** Is this very box still waited for? */
export const isLaunchAwaited = (
  task: Task,
  number: number,
  kind: LaunchKind,
  launchNumber: number,
): boolean => findAwaitedAttempt(task, number, kind, launchNumber) !== null;

/** Seconds until the next launch: doubles with each that was lost. */
const launchPauseSeconds = (losses: number): number => Math.min(LONGEST_PAUSE_SECONDS, 2 ** losses);

/** Counts a lost delivery as a retry of the task; the cascade launches the next after a pause, while retries are left. */
function recordDeliveryLost(task: Task, launch: ContainerLaunch, now: Date): TaskChange {
  const isLast = task.retries >= task.max_retries;
  const pause = launchPauseSeconds(countLostLaunches(launch));
  const deliver: ContainerLaunch = isLast
    ? { ...launch, lost: true, retries_exhausted: true }
    : { ...launch, lost: true, launched_at: toIsoTime(new Date(now.getTime() + pause * 1_000)) };
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, { deliver }),
    retries: isLast ? task.retries : task.retries + 1,
    run: task.run + 1,
  });
}

/**
 * Records a launch that stopped without a report. An agent's ends its attempt and costs a retry; a lost delivery costs a retry and is
 * launched again; the gates are launched again by the cascade. Returns null if the launch is not awaited.
 */
export function recordContainerLost(
  task: Task,
  number: number,
  kind: LaunchKind,
  launchNumber: number,
  why: string,
  now: Date,
): TaskChange | null {
  const found = findAwaitedAttempt(task, number, kind, launchNumber);
  if (!found) return null;
  const { attempt, launch } = found;
  if (kind === 'agent') return reopenOrFail(task, attempt, 'infra_failed', why, now);
  if (kind === 'deliver') return recordDeliveryLost(task, launch, now);
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, { [kind]: { ...launch, lost: true } }),
    run: task.run + 1,
  });
}

/**
 * A box never ran, or its machine was taken away: nobody's failure. The attempt stays, no retry is spent, and the next box starts
 * after a pause that doubles.
 */
export function recordContainerExcused(
  task: Task,
  number: number,
  kind: LaunchKind,
  launchNumber: number,
  why: string,
  now: Date,
): TaskChange | null {
  const found = findAwaitedAttempt(task, number, kind, launchNumber);
  if (!found) return null;
  const { launch } = found;
  const excused = (launch.excused_losses ?? 0) + 1;
  const pause = launchPauseSeconds(excused);
  const next = new Date(now.getTime() + pause * 1_000);
  return applyTaskEvent(task, kind === 'agent' ? 'keep' : 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      [kind]: { ...launch, lost: true, excused_losses: excused, launched_at: toIsoTime(next) },
      progress: { message: truncateText(why, MAX_WHY), percent: null, at: toIsoTime(now) },
      ...(kind === 'agent' && { lease_until: toEpochSeconds(next) + CONTAINER_START_SECONDS }),
    }),
    run: task.run + 1,
  });
}

/**
 * A box says itself that it is being taken away: as if ECS had said it. Null: it is not waited for, or it is nobody's but its operator's,
 * who may not have as many attempts as they like.
 */
export function recordContainerInterrupted(
  task: Task,
  number: number,
  kind: LaunchKind,
  why: string,
  now: Date,
): TaskChange | null {
  const launch = currentAttempt(task)?.[kind];
  return launch && isLaunchedByPlatform(task, kind)
    ? recordContainerExcused(task, number, kind, launch.number, why, now)
    : null;
}

/** Starts the cascade anew where the task stands. What is under way of the older run changes nothing any more, and nobody waits for what it has asked for. */
export function restartCascade(task: Task, now: Date): TaskChange | null {
  if (task.status === 'open')
    return shouldStartCascade(task) && task.waits_for === null
      ? applyTaskEvent(task, 'wait', now, { run: task.run + 1 })
      : null;
  if (task.status === 'in_review') return applyTaskEvent(task, 'review', now, { run: task.run + 1 });
  if (task.status === 'claimed' || task.status === 'in_progress')
    return applyTaskEvent(task, 'keep', now, { run: task.run + 1 });
  return null;
}
