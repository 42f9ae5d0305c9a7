import { LAUNCH_KINDS, type LaunchKind } from '../../contract/launch-kind.ts';
import { LAUNCH_MESSAGE_VISIBILITY_SECONDS } from '../../contract/messages/step-messages.ts';
import { DELIVERY_LIMIT_SECONDS } from '../../contract/resource-names.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { nextApprovalDeadline } from './approval-request.ts';
import { determineCascadeStage } from './cascade-stage.ts';
import { isCascadeExecutionNeeded } from './execution-start.ts';
import { findHeartbeatAttempt } from './heartbeat.ts';
import { hasContainerReported, isLaunchedByPlatform } from './launch.ts';

/** Seconds that a step of the cascade may take, its start included, or ECS may not know of a box that it has started, before it counts as lost. */
export const START_GRACE_SECONDS = 30;
/** Seconds after which a box that was asked for is asked for again: by then its message has come a second time by itself. */
export const LAUNCH_RETRY_AFTER_SECONDS = LAUNCH_MESSAGE_VISIBILITY_SECONDS + START_GRACE_SECONDS;
/**
 * Seconds after which somebody looks whether what must follow from an end, or from the beginning of a wait, has followed: longer than
 * the stream takes to deliver a record, so that there is most often nothing left to do.
 */
export const FOLLOW_UP_CHECK_SECONDS = 120;
/**
 * Seconds after which a box that still runs counts as lost all the same. An agent's has a lease instead; gates have a limit for each
 * command, so that longer than this is no work but a box that hangs; a function that delivers has ended by then.
 */
export const LAUNCH_LOST_AFTER_SECONDS: Readonly<Record<LaunchKind, number>> = {
  agent: Number.POSITIVE_INFINITY,
  gates: 6 * 3_600,
  challenger: 6 * 3_600,
  deliver: DELIVERY_LIMIT_SECONDS.queue + DELIVERY_LIMIT_SECONDS.run,
};
/** A task that was found well is looked at again after as long as nothing has happened to it, within these seconds. */
const SHORTEST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 900;

const LEASED_STATUSES: readonly string[] = ['claimed', 'in_progress'];

/** The box that an attempt waits for now, if one was launched. */
export function findAwaitedLaunch(
  task: Task,
): { kind: LaunchKind; number: number; launchedAt: string } | null {
  const attempt = currentAttempt(task);
  if (!attempt || attempt.outcome !== null) return null;
  const kinds = LAUNCH_KINDS.filter((kind) => (kind === 'agent') === (task.status !== 'in_review'));
  for (const kind of kinds) {
    const launch = attempt[kind];
    if (
      launch &&
      !launch.lost &&
      isLaunchedByPlatform(task, kind) &&
      !hasContainerReported(task, attempt.number, kind)
    )
      return { kind, number: launch.number, launchedAt: launch.launched_at };
  }
  return null;
}

/** Does the task wait for a box that was asked for? Else its next step is to be done, or is being done. */
export const isAwaitingLaunch = (task: Task): boolean =>
  isCascadeExecutionNeeded(task) &&
  ['run_agent', 'run_gates', 'challenge', 'deliver'].includes(determineCascadeStage(task));

/** Since when a box is waited for, however often it was asked for: since the attempt, the person, the report or the decision that wanted it, or the one before it. */
function launchWantedSince(task: Task): number {
  const attempt = currentAttempt(task);
  const wanted = [
    attempt?.started_at,
    attempt?.report?.at,
    attempt?.decision?.at,
    attempt?.challenge?.requested_at,
    ...LAUNCH_KINDS.map((kind) => attempt?.[kind]?.launched_at),
    ...(task.approvals ?? []).map(({ decided_at }) => decided_at),
  ];
  return Math.max(...wanted.map((at) => (at ? Date.parse(at) : 0)));
}

/** When a box that nobody has brought or started counts as not asked for, and is asked for again: at first soon, later seldom, as it may wait for room for long. */
function launchDeadline(task: Task): number {
  const box = findAwaitedLaunch(task);
  const asked = Date.parse(task.updated_at);
  const since = Math.max(asked, Date.parse(box?.launchedAt ?? task.updated_at));
  // It is in no register, and is left its time.
  if (box?.kind === 'deliver') return since + LAUNCH_LOST_AFTER_SECONDS.deliver * 1_000;
  const waited = box ? 0 : (asked - launchWantedSince(task)) / 1_000;
  return since + Math.min(LONGEST_PAUSE_SECONDS, Math.max(LAUNCH_RETRY_AFTER_SECONDS, waited)) * 1_000;
}

/** When a step that has not been done counts as lost: its execution, or the start of one. */
function stepDeadline(task: Task): number {
  const due = Date.parse(task.updated_at) + START_GRACE_SECONDS * 1_000;
  const judging = determineCascadeStage(task) === 'verify' ? currentAttempt(task)?.judging_claim : undefined;
  return judging?.run === task.run ? Math.max(due, Date.parse(judging.expires_at)) : due;
}

/** Epoch milliseconds at which the lease has run out; null where none runs. It is good for all of its last second. */
const leaseEnd = (task: Task): number | null => {
  const attempt = currentAttempt(task);
  return attempt && LEASED_STATUSES.includes(task.status) ? (attempt.lease_until + 1) * 1_000 : null;
};

/** One whose agent gives signs of life: its lease says all that there is to say. */
export const isCoveredByLease = (task: Task): boolean => findHeartbeatAttempt(task) !== null;

/** When a person must have decided; null: never. */
const holdDeadline = ({ hold }: Task): Date | null =>
  hold?.expires_at === undefined ? null : new Date(hold.expires_at);

/** Does something follow from the state of a task for others, or for itself from the state of others? The stream makes it happen. */
export const needsStreamFollowUp = (task: Task): boolean =>
  isTerminalStatus(task.status) || task.waits_for !== null;

/**
 * When something must be done about a task unless something happens to it before; null where nothing that time alone brings can go
 * wrong: it waits for an outside agent, or for a person who has no limit. One that is over, or waits for another task, is looked at once.
 */
export function computeTaskDeadline(task: Task): Date | null {
  if (needsStreamFollowUp(task))
    return new Date(Date.parse(task.updated_at) + FOLLOW_UP_CHECK_SECONDS * 1_000);
  if (task.hold) return holdDeadline(task);
  if (task.status === 'auth_required') return nextApprovalDeadline(task);
  const lease = leaseEnd(task);
  const moves = isCascadeExecutionNeeded(task) && !isCoveredByLease(task);
  if (!moves) return lease === null ? null : new Date(lease);
  const due = isAwaitingLaunch(task) ? launchDeadline(task) : stepDeadline(task);
  return new Date(lease === null ? due : Math.min(lease, due));
}

/** When to look again at a task that is due and well: its box runs, or its step was begun anew. Null: never, what follows from it has followed. */
export function computeNextTaskCheckAt(task: Task, now: Date): Date | null {
  if (needsStreamFollowUp(task)) return null;
  if (task.hold) return holdDeadline(task);
  if (task.status === 'auth_required') return nextApprovalDeadline(task);
  const lease = isCoveredByLease(task) ? leaseEnd(task) : null;
  return lease !== null && lease > now.getTime() ? new Date(lease) : computeNextTaskRecoveryAt(task, now);
}

/** When to try again with a task that cannot be put right just now. */
export function computeNextTaskRecoveryAt(task: Task, now: Date): Date {
  const idle = (now.getTime() - Date.parse(task.updated_at)) / 1_000;
  const pause = Math.min(LONGEST_PAUSE_SECONDS, Math.max(SHORTEST_PAUSE_SECONDS, idle));
  const again = now.getTime() + pause * 1_000;
  const lease = leaseEnd(task);
  return new Date(lease !== null && lease > now.getTime() ? Math.min(lease, again) : again);
}
