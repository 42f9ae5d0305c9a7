import * as z from 'zod';
import { LaunchMessage } from '../../contract/messages/queue.ts';
import { GIVEN_UP_BATCHES } from '../../contract/names.ts';
import { Refusal } from '../../contract/refusal.ts';
import { type GivenUpBatch, givenUpBatch, StreamEvent } from '../../control/dead-letters/given-up.ts';
import { add, type Dead, due, finish, lease, say, type Tried } from '../../control/dead-letters/lane.ts';
import {
  type DeadLetter,
  laneOf,
  readerLane,
  readerOf,
  type StreamReader,
} from '../../control/dead-letters/schema.ts';
import { stageOf } from '../../control/task-commands/stage.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { DeadLetterStore } from '../../store/dead-letters.ts';
import type { GivenUpStore } from '../../store/given-up.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { STAGE_OF } from '../containers/launch.ts';

/** A message as a dead-letter queue holds it. */
export interface DeadMessage {
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
export function deadOf({ queue, id, body }: DeadMessage): Dead {
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
export async function bury(message: DeadMessage, letters: DeadLetterStore, now: Date): Promise<void> {
  const dead = deadOf(message);
  await letters.revisedLane(laneOf(dead.id), now, (lane) => add(lane, dead, message.sentAt, now));
}

export interface DrainContext {
  readonly letters: DeadLetterStore;
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly givenUp: Pick<GivenUpStore, 'batches' | 'find' | 'put' | 'remove'>;
  /** Names of the functions that read the stream. */
  readonly readers: Readonly<Record<StreamReader, string>>;
  /** Has a reader of the stream read records again. @throws when it cannot */
  readonly readAgain: (reader: StreamReader, event: z.infer<typeof StreamEvent>) => Promise<void>;
  /** Sends a launch message again. */
  readonly send: (message: LaunchMessage, priority: 1 | 2 | 3) => Promise<void>;
  readonly now: () => Date;
  readonly goOn: () => boolean;
}

/** Does again what a letter is about. Whatever is sent twice is launched once: the dispatcher knows the launch by its name. */
async function tryAgain(letter: DeadLetter, context: DrainContext): Promise<Tried> {
  const reader = readerOf(letter);
  return reader ? readAgain(letter, reader, context) : launchAgain(letter, context);
}

/**
 * What the ledger reads twice is written under the same names, and counted once. What the conductor reads again, and after later writes of the same
 * task, looks at what follows as that stands now.
 */
async function readAgain(
  { args }: DeadLetter,
  reader: StreamReader,
  { givenUp, readAgain }: DrainContext,
): Promise<Tried> {
  const { object } = Kept.parse(JSON.parse(args));
  const body = await givenUp.find(object);
  if (body === null) return { outcome: 'gone', reason: `${object} is not kept any more` };
  await readAgain(reader, StreamEvent.parse(JSON.parse(body)));
  return { outcome: 'done', reason: 'read again' };
}

async function launchAgain(letter: DeadLetter, { tasks, send }: DrainContext): Promise<Tried> {
  const message = LaunchMessage.parse(JSON.parse(letter.args));
  const task = await tasks.get(message.task_id);
  if (!task) return { outcome: 'gone', reason: `there is no task ${message.task_id} any more` };
  const isWanted =
    stageOf(task, message.run) === STAGE_OF[message.kind] && task.attempts.at(-1)?.number === message.attempt;
  if (!isWanted) return { outcome: 'done', reason: `task ${task.id} has gone on without it` };
  await send(message, task.priority);
  return { outcome: 'done', reason: 'sent again' };
}

/** What a letter says of records that are kept. */
const Kept = z.object({ object: z.string(), batch: z.string() });

/**
 * Takes up what Lambda has written of batches that a reader gave up: what is of one task or request is kept, a letter is written of it, and then
 * the batch goes. Whoever dies in between leaves the batch, and the next finds the same objects and letters.
 */
async function takeUp({ givenUp, letters, readers, now, goOn }: DrainContext): Promise<void> {
  const found: { readonly batch: string; readonly what: GivenUpBatch | null; readonly text: string }[] = [];
  for (const batch of await givenUp.batches()) {
    if (!goOn()) break;
    const text = await givenUp.find(batch);
    if (text !== null) found.push({ batch, text, what: givenUpBatch(text, readers) });
  }
  const first = ({ what }: (typeof found)[number]): bigint => what?.items[0]?.first ?? 0n;
  // Lambda names batches by the second; the stream knows their order.
  for (const { batch, what, text } of found.toSorted((a, b) => (first(a) < first(b) ? -1 : 1))) {
    if (!goOn()) return;
    for (const { of, key, body } of what?.items ?? []) {
      const reader = what?.reader ?? 'ledger';
      await givenUp.put(key, body);
      const dead: Dead = {
        id: `${readerLane(reader, of)}.record-${sha256(key).slice(0, 12)}`,
        operation: `stream:${reader}`,
        args: JSON.stringify({ object: key, batch } satisfies z.infer<typeof Kept>),
        error: `the ${reader} has given it up`,
        category: 'transient',
        message: batch,
      };
      await letters.revisedLane(laneOf(dead.id), now(), (lane) => add(lane, dead, now(), now()));
    }
    if (!what) await bury({ queue: GIVEN_UP_BATCHES, id: batch, body: text, sentAt: now() }, letters, now());
    await givenUp.remove(batch);
  }
}

export interface Drained {
  readonly tried: number;
  /** `<letter>: <why>`. */
  readonly failed: readonly string[];
  /** Those that are tried no more. */
  readonly abandoned: readonly string[];
}

/** Tries what is due, lane by lane and each in its order. Two who do that at once, or one that dies anywhere in it, do no harm: a letter is leased first. */
export async function drain(context: DrainContext): Promise<Drained> {
  const { letters, now, goOn } = context;
  const result = { tried: 0, failed: [] as string[], abandoned: [] as string[] };
  // What cannot be taken up holds up nothing that was.
  await takeUp(context).catch((error: unknown) =>
    result.failed.push(`batches that were given up: ${String(error)}`),
  );
  for (const name of await letters.dueLanes(now())) {
    while (goOn()) {
      const { taken, abandoned } = await take(name, letters, now);
      if (abandoned) result.abandoned.push(abandoned);
      if (taken === null) break;
      result.tried += 1;
      const tried = await tryAgain(taken, context).catch(
        (error: unknown): Tried => ({ outcome: 'failed', reason: String(error) }),
      );
      if (tried.outcome === 'failed') result.failed.push(`${taken.id}: ${tried.reason}`);
      const lane = await letters.revisedLane(name, now(), (each) => finish(each, taken, tried, now()));
      if (lane.letters.some(({ id, status }) => id === taken.id && status === 'abandoned'))
        result.abandoned.push(taken.id);
    }
  }
  return result;
}

/** Leases the first of a lane. */
async function take(
  name: string,
  letters: DeadLetterStore,
  now: () => Date,
): Promise<{ readonly taken: DeadLetter | null; readonly abandoned: string | null }> {
  let taken: DeadLetter | null = null;
  let abandoned: string | null = null;
  await letters.revisedLane(name, now(), (lane) => {
    const leased = lease(lane, now());
    taken = leased?.letter ?? null;
    abandoned = leased && !leased.letter ? (due(lane, now())?.id ?? null) : null;
    return leased?.lane ?? null;
  });
  return { taken, abandoned };
}

/** One letter. @throws Refusal `not_found` */
export async function requireLetter(id: string, letters: DeadLetterStore): Promise<DeadLetter> {
  const found = (await letters.lane(laneOf(id))).letters.find((each) => each.id === id);
  if (!found) throw new Refusal('not_found', `there is no dead letter ${id}`);
  return found;
}

/** A person's word on one; it is tried again by who tries all others. */
export async function sayOfLetter(
  id: string,
  event: Parameters<typeof say>[2],
  word: { readonly by: string; readonly reason: string },
  letters: DeadLetterStore,
  now: Date,
): Promise<DeadLetter> {
  const lane = await letters.revisedLane(laneOf(id), now, (present) =>
    say(present, id, event, { ...word, now }),
  );
  const letter = lane.letters.find((each) => each.id === id);
  if (!letter) throw new Refusal('not_found', `there is no dead letter ${id}`);
  return letter;
}
