import { PRIORITIES } from '../../contract/submission/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import { sha256 } from '../../lib/sha256.ts';

type Priority = Task['priority'];

/** Whose work a task is: what shares are counted by. A name of its own length, with none of the characters that a queue refuses. */
export const hashSubmitterName = (task: Pick<Task, 'created_by'>): string =>
  sha256(task.created_by).slice(0, 32);

/** A launch that asks for room. */
export interface LaunchAdmissionRequest {
  readonly name: string;
  readonly by: string;
  readonly priority: Priority;
}

/** A launch that found none and has said that it waits: since when, and until when that is believed (epoch seconds). */
export interface WaitingLaunchRequest extends LaunchAdmissionRequest {
  readonly since: number;
  readonly until: number;
}

/** Of one place: what submitters hold, who is known to wait, and how many went before each priority while it waited. */
export interface LaunchAdmissionState {
  readonly heldBySubmitter: ReadonlyMap<string, number>;
  readonly waiting: readonly WaitingLaunchRequest[];
  readonly passedOver: ReadonlyMap<Priority, number>;
}

/** Seconds for which one that waits is kept room for: longer than it stays away. */
export const WAIT_ENTRY_TTL_SECONDS = 60;
/** Seconds after which it asks again. */
export const ADMISSION_RETRY_SECONDS = 30;
/** Seconds after which one that waits goes before its like, and a priority before those above it that has been passed over. */
export const STARVATION_SECONDS = 900;
/** Boxes of higher priorities that go before one that has waited for long: its part is one of so many and itself. */
export const MAX_TIMES_PASSED_OVER = 10;
/** Launches of one submitter and priority for which room is kept: several, because the word of the one that is let in ends. */
const MAX_WAITING_PER_QUEUE = 8;
/** Launches for which one place keeps room, so that what is written stays small; others wait all the same. */
const MAX_WAITING = 30;

const isSameQueue = (a: LaunchAdmissionRequest, b: LaunchAdmissionRequest): boolean =>
  a.by === b.by && a.priority === b.priority;
const unexpiredRequests = ({ waiting }: LaunchAdmissionState, now: number): WaitingLaunchRequest[] =>
  waiting.filter(({ until }) => until >= now);
const isStarving = ({ since }: WaitingLaunchRequest, now: number): boolean =>
  since <= now - STARVATION_SECONDS;

/**
 * Where an ask stands, the smallest first. Priority; then who has least; then whoever has waited for long. A priority that was passed over for
 * long comes before all others once, so that none waits for ever.
 */
function rankRequest(
  ask: LaunchAdmissionRequest,
  shares: LaunchAdmissionState,
  now: number,
): readonly number[] {
  const waiting = unexpiredRequests(shares, now);
  const isPassedOver =
    (shares.passedOver.get(ask.priority) ?? 0) >= MAX_TIMES_PASSED_OVER &&
    waiting.some((each) => each.priority === ask.priority && isStarving(each, now));
  const own = waiting.find(({ name }) => name === ask.name);
  return [
    isPassedOver ? ask.priority - PRIORITIES.length : ask.priority,
    shares.heldBySubmitter.get(ask.by) ?? 0,
    own && isStarving(own, now) ? own.since : now,
  ];
}

function precedes(
  a: LaunchAdmissionRequest,
  b: LaunchAdmissionRequest,
  shares: LaunchAdmissionState,
  now: number,
): boolean {
  const other = rankRequest(b, shares, now);
  for (const [at, value] of rankRequest(a, shares, now).entries())
    if (value !== other[at]) return value < (other[at] ?? 0);
  return false;
}

/**
 * May it take room that is free? Not while another waits that comes before it: so that what is urgent is not overtaken by what came in
 * greater numbers. Whoever stands first of those that wait always may, so that no room stays empty for ever.
 */
export const canAdmitLaunch = (
  ask: LaunchAdmissionRequest,
  shares: LaunchAdmissionState,
  now: number,
): boolean => !unexpiredRequests(shares, now).some((other) => precedes(other, ask, shares, now));

/** What letting one in does to the counts of those that were passed over: one more for what waits below it, none for it and for what waits no more. */
export function computePassedOverCounts(
  { priority }: LaunchAdmissionRequest,
  shares: LaunchAdmissionState,
  now: number,
) {
  const waiting = new Set(unexpiredRequests(shares, now).map((each) => each.priority));
  return {
    counted: PRIORITIES.filter((each) => each > priority && waiting.has(each)),
    ended: PRIORITIES.filter(
      (each) => (each === priority || !waiting.has(each)) && (shares.passedOver.get(each) ?? 0) > 0,
    ),
  };
}

/** What an ask that found no room writes down: its own word, unless that is known or there is no place for it; and whose words are over. */
export interface LaunchWaitEntryUpdate {
  readonly isQueued: boolean;
  readonly entry: WaitingLaunchRequest | null;
  readonly expiredNames: readonly string[];
}

export function planLaunchWaitEntry(
  ask: LaunchAdmissionRequest,
  shares: LaunchAdmissionState,
  now: number,
): LaunchWaitEntryUpdate {
  const waiting = unexpiredRequests(shares, now);
  const own = waiting.find(({ name }) => name === ask.name);
  // Its message may come sooner than half a minute; once is enough.
  if (own && own.until > now + WAIT_ENTRY_TTL_SECONDS / 2)
    return { isQueued: true, entry: null, expiredNames: [] };
  const others = waiting.filter((each) => each !== own);
  const over = shares.waiting.filter(({ until }) => until < now).map(({ name }) => name);
  if (!own) {
    if (others.filter((each) => isSameQueue(each, ask)).length >= MAX_WAITING_PER_QUEUE)
      return { isQueued: false, entry: null, expiredNames: [] };
    if (others.length >= MAX_WAITING) {
      const last = findRequestToDrop(others, shares, now);
      const isNew = !others.some((each) => isSameQueue(each, ask));
      if (!last || !(isNew || precedes(ask, last, shares, now)))
        return { isQueued: false, entry: null, expiredNames: [] };
      over.push(last.name);
    }
  }
  const { name, by, priority } = ask;
  const write = { name, by, priority, since: own?.since ?? now, until: now + WAIT_ENTRY_TTL_SECONDS };
  return { isQueued: true, entry: write, expiredNames: over };
}

/** Who gives way where there is no place: the one that stands last of those that have others of their kind there, which have waited for longer. */
function findRequestToDrop(
  others: readonly WaitingLaunchRequest[],
  shares: LaunchAdmissionState,
  now: number,
): WaitingLaunchRequest | undefined {
  const spare = others.filter((each, at) =>
    others.some(
      (mate, where) =>
        isSameQueue(mate, each) && (mate.since < each.since || (mate.since === each.since && where < at)),
    ),
  );
  return spare.reduce<WaitingLaunchRequest | undefined>(
    (last, each) => (last && precedes(each, last, shares, now) ? last : each),
    undefined,
  );
}
