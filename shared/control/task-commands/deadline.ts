import { BOX_KINDS, type BoxKind } from '../../contract/box-kind.ts';
import { LAUNCH_VISIBILITY_SECONDS } from '../../contract/messages/queue.ts';
import { DELIVERY_SECONDS } from '../../contract/names.ts';
import { isTerminal } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { approvalDue } from './approve.ts';
import { attemptWithBeats } from './beat.ts';
import { alreadyReported, isOurs } from './launch.ts';
import { stageOf } from './stage.ts';
import { needsExecution } from './start.ts';

/** Seconds that a step of the cascade may take, its start included, or ECS may not know of a box that it has started, before it counts as lost. */
export const START_GRACE_SECONDS = 30;
/** Seconds after which a box that was asked for is asked for again: by then its message has come a second time by itself. */
export const LAUNCH_GRACE_SECONDS = LAUNCH_VISIBILITY_SECONDS + START_GRACE_SECONDS;
/**
 * Seconds after which somebody looks whether what must follow from an end, or from the beginning of a wait, has followed: longer than
 * the stream takes to deliver a record, so that there is most often nothing left to do.
 */
export const FOLLOW_SECONDS = 120;
/**
 * Seconds after which a box that still runs counts as lost all the same. An agent's has a lease instead; gates have a limit for each
 * command, so that longer than this is no work but a box that hangs; a function that delivers has ended by then.
 */
export const LONGEST_BOX_SECONDS: Readonly<Record<BoxKind, number>> = {
  agent: Number.POSITIVE_INFINITY,
  gates: 6 * 3_600,
  deliver: DELIVERY_SECONDS.waits + DELIVERY_SECONDS.works,
};
/** A task that was found well is looked at again after as long as nothing has happened to it, within these seconds. */
const SHORTEST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 900;

const WITH_LEASE: readonly string[] = ['claimed', 'in_progress'];

/** The box that an attempt waits for now, if one was launched. */
export function awaitedBox(task: Task): { kind: BoxKind; number: number; launchedAt: string } | null {
  const attempt = currentAttempt(task);
  if (!attempt || attempt.outcome !== null) return null;
  const kinds = BOX_KINDS.filter((kind) => (kind === 'agent') === (task.status !== 'in_review'));
  for (const kind of kinds) {
    const launch = attempt[kind];
    if (launch && !launch.lost && isOurs(task, kind) && !alreadyReported(task, attempt.number, kind))
      return { kind, number: launch.number, launchedAt: launch.launched_at };
  }
  return null;
}

/** Does the task wait for a box that was asked for? Else its next step is to be done, or is being done. */
export const waitsForBox = (task: Task): boolean =>
  needsExecution(task) && ['run_agent', 'run_gates', 'deliver'].includes(stageOf(task));

/** Since when a box is waited for, however often it was asked for: since the attempt, the person, the report or the decision that wanted it, or the one before it. */
function wantedSince(task: Task): number {
  const attempt = currentAttempt(task);
  const wanted = [
    attempt?.started_at,
    attempt?.report?.at,
    attempt?.decision?.at,
    ...BOX_KINDS.map((kind) => attempt?.[kind]?.launched_at),
    ...(task.approvals ?? []).map(({ decided_at }) => decided_at),
  ];
  return Math.max(...wanted.map((at) => (at ? Date.parse(at) : 0)));
}

/** When a box that nobody has brought or started counts as not asked for, and is asked for again: at first soon, later seldom, as it may wait for room for long. */
function boxDue(task: Task): number {
  const box = awaitedBox(task);
  const asked = Date.parse(task.updated_at);
  const since = Math.max(asked, Date.parse(box?.launchedAt ?? task.updated_at));
  // It is in no register, and is left its time.
  if (box?.kind === 'deliver') return since + LONGEST_BOX_SECONDS.deliver * 1_000;
  const waited = box ? 0 : (asked - wantedSince(task)) / 1_000;
  return since + Math.min(LONGEST_PAUSE_SECONDS, Math.max(LAUNCH_GRACE_SECONDS, waited)) * 1_000;
}

/** When a step that has not been done counts as lost: its execution, or the start of one. */
function stepDue(task: Task): number {
  const due = Date.parse(task.updated_at) + START_GRACE_SECONDS * 1_000;
  const judging = stageOf(task) === 'verify' ? currentAttempt(task)?.judging : undefined;
  return judging?.run === task.run ? Math.max(due, Date.parse(judging.until)) : due;
}

/** Epoch milliseconds at which the lease has run out; null where none runs. It is good for all of its last second. */
const leaseEnd = (task: Task): number | null => {
  const attempt = currentAttempt(task);
  return attempt && WITH_LEASE.includes(task.status) ? (attempt.lease_until + 1) * 1_000 : null;
};

/** One whose agent gives signs of life: its lease says all that there is to say. */
export const isSeenByLease = (task: Task): boolean => attemptWithBeats(task) !== null;

/** When a person must have decided; null: never. */
const holdEnd = ({ hold }: Task): Date | null => (hold?.until === undefined ? null : new Date(hold.until));

/** Does something follow from the state of a task for others, or for itself from the state of others? The stream makes it happen. */
export const isFollowed = (task: Task): boolean => isTerminal(task.status) || task.waits_for !== null;

/**
 * When something must be done about a task unless something happens to it before; null where nothing that time alone brings can go
 * wrong: it waits for an outside agent, or for a person who has no limit. One that is over, or waits for another task, is looked at once.
 */
export function deadlineOf(task: Task): Date | null {
  if (isFollowed(task)) return new Date(Date.parse(task.updated_at) + FOLLOW_SECONDS * 1_000);
  if (task.hold) return holdEnd(task);
  if (task.status === 'auth_required') return approvalDue(task);
  const lease = leaseEnd(task);
  const moves = needsExecution(task) && !isSeenByLease(task);
  if (!moves) return lease === null ? null : new Date(lease);
  const due = waitsForBox(task) ? boxDue(task) : stepDue(task);
  return new Date(lease === null ? due : Math.min(lease, due));
}

/** When to look again at a task that is due and well: its box runs, or its step was begun anew. Null: never, what follows from it has followed. */
export function lookAgainAt(task: Task, now: Date): Date | null {
  if (isFollowed(task)) return null;
  if (task.hold) return holdEnd(task);
  if (task.status === 'auth_required') return approvalDue(task);
  const lease = isSeenByLease(task) ? leaseEnd(task) : null;
  return lease !== null && lease > now.getTime() ? new Date(lease) : laterAt(task, now);
}

/** When to try again with a task that cannot be put right just now. */
export function laterAt(task: Task, now: Date): Date {
  const idle = (now.getTime() - Date.parse(task.updated_at)) / 1_000;
  const pause = Math.min(LONGEST_PAUSE_SECONDS, Math.max(SHORTEST_PAUSE_SECONDS, idle));
  const again = now.getTime() + pause * 1_000;
  const lease = leaseEnd(task);
  return new Date(lease !== null && lease > now.getTime() ? Math.min(lease, again) : again);
}
