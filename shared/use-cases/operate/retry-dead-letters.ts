import * as z from 'zod';
import { LaunchMessage, NoticeMessage } from '../../contract/messages/step-messages.ts';
import { Refusal } from '../../contract/refusal.ts';
import { FAILED_STREAM_BATCH_KEY_PREFIX } from '../../contract/resource-names.ts';
import {
  buildConsumerRetryQueueId,
  buildNoticeRetryQueueId,
  type DeadLetter,
  findDeadLetterConsumer,
  parseDeadLetterRetryQueueId,
  type TaskStreamConsumer,
} from '../../control/dead-letters/dead-letter.ts';
import {
  DynamoDbStreamBatchEvent,
  type FailedBatch,
  parseFailedBatch,
} from '../../control/dead-letters/failed-batch.ts';
import {
  addFailedOperation,
  applyOperatorEventToDeadLetter,
  findDueLetter,
  leaseDueLetter,
  type PermanentlyFailedOperation,
  type RetryResult,
  recordRetryResult,
} from '../../control/dead-letters/retry-queue.ts';
import { determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { DeadLetterStore } from '../../store/dead-letters.ts';
import type { FailedBatchStore } from '../../store/failed-batches.ts';
import type { TaskStore } from '../../store/task-store.ts';
import { LAUNCH_STAGES } from '../containers/launch-container.ts';

/** A message as a dead-letter queue holds it. */
export interface DeadLetterMessage {
  readonly queue: string;
  readonly id: string;
  readonly body: string;
  /** When it was sent: the same however often it comes. */
  readonly sentAt: Date;
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

/** Which operation a dead message is of, and in which lane it stands. */
export function parseFailedOperationMessage({
  queue,
  id,
  body,
}: DeadLetterMessage): PermanentlyFailedOperation {
  const launch = LaunchMessage.safeParse(json(body));
  if (launch.success) {
    const { task_id, kind, attempt, run } = launch.data;
    return {
      id: `${task_id}.${kind}-${attempt}-${run}`,
      operation: `launch:${kind}`,
      args: body,
      error: `the dispatcher has given it up (${queue})`,
      category: 'transient',
      message: id,
    };
  }
  const notice = NoticeMessage.safeParse(json(body));
  if (notice.success) {
    const { target, notice: about } = notice.data;
    const lane = buildNoticeRetryQueueId(
      about.task?.id ?? null,
      sha256(`${target}#${about.id}`).slice(0, 12),
    );
    return {
      id: `${lane}.${target}`,
      operation: 'notice:deliver',
      args: body,
      error: `${target} was not told of ${about.name}; the log of the function notify says why`,
      category: 'transient',
      message: id,
    };
  }
  const isRecord = body.includes('DDBStreamBatchInfo');
  return {
    id: `${isRecord ? 'stream' : 'message'}-${sha256(`${queue}/${id}`).slice(0, 12)}.${isRecord ? 'record' : 'unreadable'}`,
    operation: isRecord ? 'stream:record' : 'message:unreadable',
    args: body.slice(0, 10_000),
    error: isRecord ? `a reader of the stream has given it up (${queue})` : `nobody can read it (${queue})`,
    category: isRecord ? 'permanent' : 'validation',
    message: id,
  };
}

/** Writes down a dead message, once however often it comes. */
export async function recordDeadLetter(
  message: DeadLetterMessage,
  letters: DeadLetterStore,
  now: Date,
): Promise<void> {
  const dead = parseFailedOperationMessage(message);
  await letters.updateGroup(parseDeadLetterRetryQueueId(dead.id), now, (lane) =>
    addFailedOperation(lane, dead, message.sentAt, now),
  );
}

export interface DeadLetterRetryContext {
  readonly deadLetters: DeadLetterStore;
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly failedBatches: Pick<FailedBatchStore, 'listBatches' | 'find' | 'put' | 'remove'>;
  /** Names of the functions that read the stream. */
  readonly readerFunctions: Readonly<Record<TaskStreamConsumer, string>>;
  /** Has a reader of the stream read records again. @throws when it cannot */
  readonly replayRecords: (
    reader: TaskStreamConsumer,
    event: z.infer<typeof DynamoDbStreamBatchEvent>,
  ) => Promise<void>;
  /** Sends a launch message again. */
  readonly sendLaunch: (message: LaunchMessage, priority: 1 | 2 | 3) => Promise<void>;
  /** Queues a notification again. */
  readonly sendNotice: (message: string) => Promise<void>;
  readonly now: () => Date;
  readonly hasTimeLeft: () => boolean;
}

/** Does again what a letter is about. Whatever is sent twice is launched once: the dispatcher knows the launch by its name. */
async function retryLetter(letter: DeadLetter, context: DeadLetterRetryContext): Promise<RetryResult> {
  const reader = findDeadLetterConsumer(letter);
  if (reader) return replayRecords(letter, reader, context);
  return letter.operation === 'notice:deliver'
    ? resendNotice(letter, context)
    : resendLaunch(letter, context);
}

/**
 * What the ledger reads twice is written under the same names, and counted once. What the conductor reads again, and after later writes of the same
 * task, looks at what follows as that stands now.
 */
async function replayRecords(
  { args }: DeadLetter,
  reader: TaskStreamConsumer,
  { failedBatches, replayRecords }: DeadLetterRetryContext,
): Promise<RetryResult> {
  const { object } = KeptRecords.parse(JSON.parse(args));
  const body = await failedBatches.find(object);
  if (body === null) return { outcome: 'gone', reason: `${object} is not kept any more` };
  await replayRecords(reader, DynamoDbStreamBatchEvent.parse(JSON.parse(body)));
  return { outcome: 'done', reason: 'read again' };
}

/** A target that was removed since drops the message. */
async function resendNotice(
  { args }: DeadLetter,
  { sendNotice }: DeadLetterRetryContext,
): Promise<RetryResult> {
  await sendNotice(args);
  return { outcome: 'done', reason: 'sent again' };
}

async function resendLaunch(
  letter: DeadLetter,
  { tasks, sendLaunch }: DeadLetterRetryContext,
): Promise<RetryResult> {
  const message = LaunchMessage.parse(JSON.parse(letter.args));
  const task = await tasks.get(message.task_id);
  if (!task) return { outcome: 'gone', reason: `there is no task ${message.task_id} any more` };
  const isWanted =
    determineCascadeStage(task, message.run) === LAUNCH_STAGES[message.kind] &&
    task.attempts.at(-1)?.number === message.attempt;
  if (!isWanted) return { outcome: 'done', reason: `task ${task.id} has gone on without it` };
  await sendLaunch(message, task.priority);
  return { outcome: 'done', reason: 'sent again' };
}

/** What a letter says of records that are kept. */
const KeptRecords = z.object({ object: z.string(), batch: z.string() });

/**
 * Takes up what Lambda has written of batches that a reader gave up: what is of one task or request is kept, a letter is written of it, and then
 * the batch goes. Whoever dies in between leaves the batch, and the next finds the same objects and letters.
 */
async function importFailedBatches({
  failedBatches,
  deadLetters,
  readerFunctions,
  now,
  hasTimeLeft,
}: DeadLetterRetryContext): Promise<void> {
  const found: { readonly batch: string; readonly what: FailedBatch | null; readonly text: string }[] = [];
  for (const batch of await failedBatches.listBatches()) {
    if (!hasTimeLeft()) break;
    const text = await failedBatches.find(batch);
    if (text !== null) found.push({ batch, text, what: parseFailedBatch(text, readerFunctions) });
  }
  const first = ({ what }: (typeof found)[number]): bigint => what?.items[0]?.first_sequence ?? 0n;
  // Lambda names batches by the second; the stream knows their order.
  for (const { batch, what, text } of found.toSorted((a, b) => (first(a) < first(b) ? -1 : 1))) {
    if (!hasTimeLeft()) return;
    for (const { item, key, body } of what?.items ?? []) {
      const reader = what?.consumer ?? 'ledger';
      await failedBatches.put(key, body);
      const dead: PermanentlyFailedOperation = {
        id: `${buildConsumerRetryQueueId(reader, item)}.record-${sha256(key).slice(0, 12)}`,
        operation: `stream:${reader}`,
        args: JSON.stringify({ object: key, batch } satisfies z.infer<typeof KeptRecords>),
        error: `the ${reader} has given it up`,
        category: 'transient',
        message: batch,
      };
      await deadLetters.updateGroup(parseDeadLetterRetryQueueId(dead.id), now(), (lane) =>
        addFailedOperation(lane, dead, now(), now()),
      );
    }
    if (!what)
      await recordDeadLetter(
        { queue: FAILED_STREAM_BATCH_KEY_PREFIX, id: batch, body: text, sentAt: now() },
        deadLetters,
        now(),
      );
    await failedBatches.remove(batch);
  }
}

export interface DeadLetterRetryResult {
  readonly retried: number;
  /** `<letter>: <why>`. */
  readonly failed: readonly string[];
  /** Those that are tried no more. */
  readonly abandoned: readonly string[];
}

/** Tries what is due, lane by lane and each in its order. Two who do that at once, or one that dies anywhere in it, do no harm: a letter is leased first. */
export async function retryDeadLetters(context: DeadLetterRetryContext): Promise<DeadLetterRetryResult> {
  const { deadLetters, now, hasTimeLeft } = context;
  const result = { retried: 0, failed: [] as string[], abandoned: [] as string[] };
  // What cannot be taken up holds up nothing that was.
  await importFailedBatches(context).catch((error: unknown) =>
    result.failed.push(`batches that were given up: ${String(error)}`),
  );
  for (const name of await deadLetters.listDueGroups(now())) {
    while (hasTimeLeft()) {
      const { taken, abandoned } = await leaseFirstLetter(name, deadLetters, now);
      if (abandoned) result.abandoned.push(abandoned);
      if (taken === null) break;
      result.retried += 1;
      const tried = await retryLetter(taken, context).catch(
        (error: unknown): RetryResult => ({ outcome: 'failed', reason: String(error) }),
      );
      if (tried.outcome === 'failed') result.failed.push(`${taken.id}: ${tried.reason}`);
      const lane = await deadLetters.updateGroup(name, now(), (each) =>
        recordRetryResult(each, taken, tried, now()),
      );
      if (lane.letters.some(({ id, status }) => id === taken.id && status === 'abandoned'))
        result.abandoned.push(taken.id);
    }
  }
  return result;
}

/** Leases the first of a lane. */
async function leaseFirstLetter(
  name: string,
  letters: DeadLetterStore,
  now: () => Date,
): Promise<{ readonly taken: DeadLetter | null; readonly abandoned: string | null }> {
  let taken: DeadLetter | null = null;
  let abandoned: string | null = null;
  await letters.updateGroup(name, now(), (lane) => {
    const leased = leaseDueLetter(lane, now());
    taken = leased?.letter ?? null;
    abandoned = leased && !leased.letter ? (findDueLetter(lane, now())?.id ?? null) : null;
    return leased?.lane ?? null;
  });
  return { taken, abandoned };
}

/** One letter. @throws Refusal `not_found` */
export async function requireDeadLetter(id: string, letters: DeadLetterStore): Promise<DeadLetter> {
  const found = (await letters.readGroup(parseDeadLetterRetryQueueId(id))).letters.find(
    (each) => each.id === id,
  );
  if (!found) throw new Refusal('not_found', `there is no dead letter ${id}`);
  return found;
}

/** A person's word on one; it is tried again by who tries all others. */
export async function applyDeadLetterAction(
  id: string,
  event: Parameters<typeof applyOperatorEventToDeadLetter>[2],
  word: { readonly by: string; readonly reason: string },
  letters: DeadLetterStore,
  now: Date,
): Promise<DeadLetter> {
  const lane = await letters.updateGroup(parseDeadLetterRetryQueueId(id), now, (present) =>
    applyOperatorEventToDeadLetter(present, id, event, { ...word, now }),
  );
  const letter = lane.letters.find((each) => each.id === id);
  if (!letter) throw new Refusal('not_found', `there is no dead letter ${id}`);
  return letter;
}
