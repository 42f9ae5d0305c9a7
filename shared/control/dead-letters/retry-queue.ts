import { Refusal } from '../../contract/refusal.ts';
import { truncateText } from '../../lib/truncate.ts';
import { canRetryLetter, type DeadLetter, type RetryQueue } from './dead-letter.ts';
import { isOpenDeadLetterStatus, LETTER_LIFECYCLE, type LetterEvent } from './letter-status.ts';

/** Seconds until the next try, by how often it was tried; the last one holds for all further ones. */
const BACKOFF_SECONDS = [60, 300, 900, 1_800, 3_600] as const;
/** Seconds for which one that is being tried is left alone. */
export const LETTER_LEASE_SECONDS = 120;
export const MAX_RETRY_ATTEMPTS = 3;
/** Days after which one that is closed is forgotten, and how many are kept of a lane at most. */
export const CLOSED_LETTER_RETENTION_DAYS = 7;
const KEPT_CLOSED = 20;
const KEPT_EVENTS = 20;
/** Attempts after which one over which its takers are lost is tried no more. */
const MAX_LOST_LEASES = 10;

export const EMPTY_RETRY_QUEUE: RetryQueue = { letters: [] };

/** What is known of an operation that has failed for good. */
export interface PermanentlyFailedOperation
  extends Pick<DeadLetter, 'id' | 'operation' | 'args' | 'error' | 'category'> {
  /** Id of the message that says so: what has come before changes nothing. */
  readonly message: string;
}

const iso = (at: number): string => new Date(at).toISOString();
const backoffMs = (attempts: number): number =>
  (BACKOFF_SECONDS[Math.min(attempts, BACKOFF_SECONDS.length) - 1] ?? 3_600) * 1_000;

/** A letter after an event, or a refusal that says what it is and what would be needed. */
function applyLetterEvent(letter: DeadLetter, event: LetterEvent, fields: Partial<DeadLetter>): DeadLetter {
  const status = LETTER_LIFECYCLE.next(letter.status, event);
  if (status === null)
    throw new Refusal(
      'conflict',
      LETTER_LIFECYCLE.conflictMessage(letter.id, letter.status, event, letter.lease_until ?? undefined),
    );
  return { ...letter, ...fields, status };
}

const historyWith = (
  { history }: DeadLetter,
  event: LetterEvent,
  by: string,
  reason: string,
  now: Date,
): Pick<DeadLetter, 'history'> => ({
  history: [...history, { event, by, reason: truncateText(reason, 1_000), at: now.toISOString() }].slice(
    -KEPT_EVENTS,
  ),
});

const replaceLetter = ({ letters }: RetryQueue, letter: DeadLetter): RetryQueue => ({
  letters: letters.map((each) => (each.id === letter.id ? letter : each)),
});

/** With one that is open again: where it stood, or behind the one that is being tried, so that no two are tried at once. */
function reopenLetter({ letters }: RetryQueue, letter: DeadLetter): RetryQueue {
  const tried = letters.findIndex(({ id, status }) => status === 'retrying' && id !== letter.id);
  if (letters.findIndex(({ id }) => id === letter.id) > tried) return replaceLetter({ letters }, letter);
  const before = letters.slice(0, tried + 1).filter(({ id }) => id !== letter.id);
  return { letters: [...before, letter, ...letters.slice(tried + 1)] };
}

/** Forgets what is closed for long, and the oldest of what is closed where there is much of it. What is open stays. */
function pruneClosedLetters({ letters }: RetryQueue, now: Date): RetryQueue {
  const until = now.getTime() - CLOSED_LETTER_RETENTION_DAYS * 86_400_000;
  const closed = letters.filter(({ status }) => !isOpenDeadLetterStatus(status));
  const kept = new Set(
    closed.filter(({ resolved_at: at }) => Date.parse(at ?? '') > until).slice(-KEPT_CLOSED),
  );
  return { letters: letters.filter((each) => isOpenDeadLetterStatus(each.status) || kept.has(each)) };
}

/**
 * An operation has failed for good. Once, however often that is said. One that was resolved and dies again is open again, and waits for a person when its
 * attempts are used up.
 */
export function addFailedOperation(
  lane: RetryQueue,
  { message, ...dead }: PermanentlyFailedOperation,
  at: Date,
  now: Date,
): RetryQueue | null {
  const present = lane.letters.find(({ id }) => id === dead.id);
  const autoRetry = dead.category === 'transient';
  if (!present) {
    const letter: DeadLetter = {
      ...dead,
      messages: [message],
      status: 'pending',
      attempts: 1,
      max_attempts: MAX_RETRY_ATTEMPTS,
      auto_retry: autoRetry,
      created_at: at.toISOString(),
      last_attempt_at: at.toISOString(),
      next_retry_at: autoRetry ? iso(now.getTime() + backoffMs(1)) : null,
      lease_until: null,
      resolved_at: null,
      history: [],
    };
    return pruneClosedLetters({ letters: [...lane.letters, letter] }, now);
  }
  if (present.messages.includes(message)) return null;
  const messages = [...present.messages, message].slice(-KEPT_EVENTS);
  const newer = { ...present, messages, args: dead.args, error: dead.error };
  if (present.status !== 'resolved') return replaceLetter(lane, newer);
  const spent = present.attempts >= present.max_attempts;
  const open = applyLetterEvent(newer, 'come_again', {
    resolved_at: null,
    auto_retry: autoRetry && !spent,
    next_retry_at: autoRetry && !spent ? iso(now.getTime() + backoffMs(present.attempts)) : null,
    ...historyWith(present, 'come_again', 'assay', dead.error, now),
  });
  return reopenLetter(lane, open);
}

/** The one that is to be tried now: the first open one, where it is due. Those behind it wait, so that their order stays. */
export function findDueLetter(lane: RetryQueue, now: Date): DeadLetter | null {
  const head = lane.letters.find(({ status }) => isOpenDeadLetterStatus(status));
  const at = head && letterDueAt(head);
  return head && at && Date.parse(at) <= now.getTime() ? head : null;
}

const letterDueAt = (letter: DeadLetter): string | null =>
  letter.status === 'retrying' ? letter.lease_until : letter.next_retry_at;

/** When the lane is to be looked at again; null: nothing of it is tried by itself. */
export function findNextDeadLetterRetryAt({ letters }: RetryQueue): string | null {
  const head = letters.find(({ status }) => isOpenDeadLetterStatus(status));
  return head ? letterDueAt(head) : null;
}

/**
 * Takes what is due, for a while. One whose lease has run out goes back first: who had it is gone, and has perhaps done it. One over which
 * many are lost is abandoned. `letter` null: nothing is taken.
 */
export function leaseDueLetter(
  lane: RetryQueue,
  now: Date,
): { readonly lane: RetryQueue; readonly letter: DeadLetter | null } | null {
  const head = findDueLetter(lane, now);
  if (!head) return null;
  if (head.status === 'retrying' && head.attempts >= MAX_LOST_LEASES) {
    const reason = `whoever tried it was lost, ${head.attempts} times`;
    const over = { lease_until: null, resolved_at: now.toISOString() };
    const lost = applyLetterEvent(head, 'give_up', {
      ...over,
      ...historyWith(head, 'give_up', 'assay', reason, now),
    });
    return { lane: replaceLetter(lane, lost), letter: null };
  }
  const free = head.status === 'retrying' ? applyLetterEvent(head, 'put_back', { lease_until: null }) : head;
  const letter = applyLetterEvent(free, 'lease', {
    attempts: head.attempts + 1,
    next_retry_at: null,
    lease_until: iso(now.getTime() + LETTER_LEASE_SECONDS * 1_000),
    last_attempt_at: now.toISOString(),
  });
  return { lane: replaceLetter(lane, letter), letter };
}

/** How a try went: done (or no longer needed), failed, or nothing is left that it could be done for. */
export type RetryResult =
  | { readonly outcome: 'done' | 'gone'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly reason: string };

/** Writes down how a try went. Null: it is no longer the try of whoever says so. */
export function recordRetryResult(
  lane: RetryQueue,
  leased: DeadLetter,
  tried: RetryResult,
  now: Date,
): RetryQueue | null {
  const letter = lane.letters.find(({ id }) => id === leased.id);
  if (letter?.status !== 'retrying' || letter.lease_until !== leased.lease_until) return null;
  const over = { lease_until: null, resolved_at: now.toISOString() };
  const { reason } = tried;
  if (tried.outcome === 'done')
    return replaceLetter(
      lane,
      applyLetterEvent(letter, 'succeed', {
        ...over,
        ...historyWith(letter, 'succeed', 'assay', reason, now),
      }),
    );
  if (tried.outcome === 'gone' || letter.attempts >= letter.max_attempts)
    return replaceLetter(
      lane,
      applyLetterEvent(letter, 'give_up', {
        ...over,
        ...historyWith(letter, 'give_up', 'assay', reason, now),
      }),
    );
  return replaceLetter(
    lane,
    applyLetterEvent(letter, 'put_back', {
      lease_until: null,
      error: truncateText(reason, 2_000),
      next_retry_at: iso(now.getTime() + backoffMs(letter.attempts)),
    }),
  );
}

/** A person's word on one. */
export function applyOperatorEventToDeadLetter(
  lane: RetryQueue,
  id: string,
  event: 'requeue' | 'resolve' | 'abandon',
  { by, reason, now }: { readonly by: string; readonly reason: string; readonly now: Date },
): RetryQueue {
  const letter = lane.letters.find((each) => each.id === id);
  if (!letter) throw new Refusal('not_found', `there is no dead letter ${id}`);
  if (event === 'requeue' && !canRetryLetter(letter))
    throw new Refusal(
      'conflict',
      `${letter.operation} is nothing that can be sent again; see docs/runbooks/dead-letters.md, and resolve it when it is dealt with`,
    );
  const fields =
    event === 'requeue'
      ? {
          next_retry_at: now.toISOString(),
          resolved_at: null,
          max_attempts: letter.attempts + MAX_RETRY_ATTEMPTS - 1,
        }
      : { next_retry_at: null, resolved_at: now.toISOString() };
  const next = applyLetterEvent(letter, event, { ...fields, ...historyWith(letter, event, by, reason, now) });
  return event === 'requeue' ? reopenLetter(lane, next) : replaceLetter(lane, next);
}
