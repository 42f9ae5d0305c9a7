import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { LaunchMessage } from '../../../../shared/contract/messages/step-messages.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  DeadLetterId,
  letterTaskId,
  parseDeadLetterRetryQueueId,
  RetryQueue,
} from '../../../../shared/control/dead-letters/dead-letter.ts';
import {
  EMPTY_RETRY_QUEUE,
  findNextDeadLetterRetryAt,
} from '../../../../shared/control/dead-letters/retry-queue.ts';
import { DeadLetterStore } from '../../../../shared/store/dead-letters.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import {
  applyDeadLetterAction,
  type DeadLetterMessage,
  parseFailedOperationMessage,
  recordDeadLetter,
  requireDeadLetter,
  retryDeadLetters,
} from '../../../../shared/use-cases/operate/retry-dead-letters.ts';
import { addSeconds, attempt, FIXED_NOW, task } from '../../../support/builders.ts';
import { MemoryTable } from '../../../support/memory-table.ts';

class Crash extends Error {}

const READERS = { ledger: 'assay-ledger', conductor: 'assay-conductor' };

/** One task with letters, sent by a program that may die before or after each call that it makes. */
class World {
  readonly #table = new MemoryTable();
  readonly #crashes: Set<number>;
  readonly tasks = new Map<string, Task>();
  /** Objects of the bucket. */
  readonly objects = new Map<string, string>();
  /** Records that readers have read, as `<reader> <item>@<sequence>`, each time. */
  readonly read: string[] = [];
  /** What was sent, each time. */
  readonly sent: string[] = [];
  #calls = 0;
  #isDead = false;
  seconds = 0;
  readonly failing = new Set<string>();

  constructor(crashes: readonly number[] = []) {
    this.#crashes = new Set(crashes);
  }

  get now(): Date {
    return addSeconds(this.seconds);
  }

  /** Before a call, or after it: then what it does is done, and nobody hears of it. */
  async step<R>(call: () => R | Promise<R>): Promise<R> {
    this.#mayCrash();
    const answer = await call();
    this.#mayCrash();
    return answer;
  }

  /** Whoever is dead calls nothing more, whatever it would have made of its end. */
  #mayCrash(): void {
    if (this.#crashes.has(this.#calls++)) this.#isDead = true;
    if (this.#isDead) throw new Crash();
  }

  readonly store = new DeadLetterStore(
    new ItemTable(
      {
        send: (command: unknown) => this.step(() => this.#carryOut(command)),
      } as unknown as DynamoDBDocumentClient,
      'tasks',
    ),
  );

  #carryOut(command: unknown): unknown {
    const input = (command as { input: Record<string, unknown> }).input;
    if (input['IndexName'] === undefined) return this.#table.carryOut(command);
    const until = (input['ExpressionAttributeValues'] as Record<string, string>)[':until'] ?? '~';
    const Items = this.#table.items.filter((item) => String(item['gs_deadline'] ?? '~') < until);
    return { Items };
  }

  lanes(): RetryQueue[] {
    return this.#table.items.map((item) => RetryQueue.parse(item));
  }

  /** A life of the program: it ends well or dies. */
  async life(does: () => Promise<unknown>): Promise<boolean> {
    this.#isDead = false;
    try {
      await does();
      return true;
    } catch (error) {
      if (error instanceof Crash) return false;
      throw error;
    }
  }

  drain() {
    return retryDeadLetters({
      deadLetters: this.store,
      tasks: { get: async (id) => this.tasks.get(id) ?? null },
      sendLaunch: async ({ task_id, kind, attempt: of }: LaunchMessage) => {
        await this.step(() => this.sent.push(`${task_id} ${kind} ${of}`));
      },
      failedBatches: {
        listBatches: () =>
          this.step(() => [...this.objects.keys()].filter((key) => key.startsWith('aws/lambda/'))),
        find: (key) => this.step(() => this.objects.get(key) ?? null),
        put: (key, body) => this.step(() => void this.objects.set(key, body)),
        remove: (key) => this.step(() => void this.objects.delete(key)),
      },
      readerFunctions: READERS,
      replayRecords: (reader, { Records }) =>
        this.step(() => {
          if (this.failing.has(reader)) throw new Error(`the ${reader} says Unhandled`);
          for (const { dynamodb } of Records)
            this.read.push(`${reader} ${dynamodb.Keys['pk']?.S}@${dynamodb.SequenceNumber}`);
        }),
      sendNotice: async (message) => {
        const { target } = JSON.parse(message) as { target: string };
        await this.step(() => this.sent.push(`notice ${target}`));
      },
      now: () => this.now,
      hasTimeLeft: () => true,
    });
  }
}

const message = (id: string, of: string, number = 1): DeadLetterMessage => ({
  queue: 'agents2',
  id,
  body: JSON.stringify({
    schema_version: 1,
    kind: 'agent',
    task_id: of,
    attempt: number,
    run: 1,
  }),
  sentAt: FIXED_NOW,
});
const waiting = (id: string): Task => ({
  ...task({ id, status: 'claimed', run: 1, attempts: [attempt({ report: null, outcome: null })] }),
});

test('a crash before or after any call loses no letter and repeats no launch under another name', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(60), { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (crashes, tasks) => {
        const world = new World(crashes);
        const ids = Array.from({ length: tasks }, (_, index) => `T${index}`);
        for (const id of ids) world.tasks.set(id, waiting(id));
        // A queue gives a message again until it was dealt with, and sometimes also then.
        for (const id of [...ids, ...ids])
          while (!(await world.life(() => recordDeadLetter(message(`m-${id}`, id), world.store, world.now))))
            world.seconds += 1;
        for (let round = 0; round < 12; round++) {
          world.seconds += 130;
          await world.life(() => world.drain());
        }
        expect(world.lanes().map(({ letters }) => letters.map(({ status }) => status))).toEqual(
          ids.map(() => ['resolved']),
        );
        // A launch is known by its name: the same one twice is one.
        expect([...new Set(world.sent)].sort()).toEqual(ids.map((id) => `${id} agent 1`));
        // Without a crash in between it is also sent once.
        if (crashes.length === 0) expect(world.sent).toHaveLength(tasks);
      },
    ),
    { numRuns: 60 },
  );
});

describe('draining', () => {
  it('keeps the order of one task, also when two drain at once', async () => {
    const world = new World();
    world.tasks.set('T1', waiting('T1'));
    await recordDeadLetter(message('a', 'T1', 1), world.store, FIXED_NOW);
    await recordDeadLetter(
      { ...message('b', 'T1', 1), body: message('b', 'T1').body.replace('"agent"', '"gates"') },
      world.store,
      FIXED_NOW,
    );
    world.seconds = 61;
    await Promise.all([world.drain(), world.drain()]);
    await world.drain();
    const [lane = EMPTY_RETRY_QUEUE] = world.lanes();
    expect(lane.letters.map(({ id, status }) => [id, status])).toEqual([
      ['T1.agent-1-1', 'resolved'],
      ['T1.gates-1-1', 'resolved'],
    ]);
    // The agent still works: nobody needs the gates' box yet.
    expect(world.sent).toEqual(['T1 agent 1']);
    expect(findNextDeadLetterRetryAt(lane)).toBeNull();
  });

  it('abandons a letter whose task is gone, and resolves one whose task went on without it', async () => {
    const world = new World();
    world.tasks.set('T2', { ...waiting('T2'), status: 'cancelled' });
    for (const id of ['T1', 'T2']) await recordDeadLetter(message(id, id), world.store, FIXED_NOW);
    world.seconds = 61;
    expect(await world.drain()).toMatchObject({ retried: 2, failed: [], abandoned: ['T1.agent-1-1'] });
    expect(world.sent).toEqual([]);
    expect((await requireDeadLetter('T1.agent-1-1', world.store)).history.at(-1)?.reason).toContain(
      'no task T1',
    );
    expect(await requireDeadLetter('T2.agent-1-1', world.store)).toMatchObject({ status: 'resolved' });
  });

  it('tries an abandoned one again when a person says so, and refuses a word on what is not there', async () => {
    const world = new World();
    await recordDeadLetter(message('a', 'T1'), world.store, FIXED_NOW);
    world.seconds = 61;
    await world.drain();
    world.tasks.set('T1', waiting('T1'));
    const word = { by: 'ann', reason: 'it is back' };
    await applyDeadLetterAction('T1.agent-1-1', 'requeue', word, world.store, world.now);
    await world.drain();
    expect(world.sent).toEqual(['T1 agent 1']);
    await expect(
      applyDeadLetterAction('T9.agent-1-1', 'resolve', word, world.store, FIXED_NOW),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      applyDeadLetterAction('T1.agent-1-1', 'requeue', word, world.store, FIXED_NOW),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('keeps what nobody can read, for a person', async () => {
    const world = new World();
    await recordDeadLetter({ ...message('a', 'T1'), body: 'not JSON' }, world.store, FIXED_NOW);
    await recordDeadLetter(
      { ...message('b', 'T1'), body: '{"DDBStreamBatchInfo":{}}' },
      world.store,
      FIXED_NOW,
    );
    world.seconds = 1e6;
    expect(await world.drain()).toMatchObject({ retried: 0 });
    expect(
      world
        .lanes()
        .flatMap(({ letters }) => letters.map(({ operation }) => operation))
        .sort(),
    ).toEqual(['message:unreadable', 'stream:record']);
  });
});

/** As Lambda writes it, of records `<task>@<sequence>`. */
const batch = (...records: string[]): string => batchOf('ledger', ...records);
const batchOf = (reader: keyof typeof READERS | 'nobody', ...records: string[]): string => {
  const Records = records.map((record) => {
    const [of, SequenceNumber] = record.split('@');
    return {
      eventID: record,
      dynamodb: {
        SequenceNumber,
        Keys: { pk: { S: of?.includes('#') ? of : `task#${of}` }, sk: { S: 'task' } },
      },
    };
  });
  const name = reader === 'nobody' ? 'somebody' : READERS[reader];
  return JSON.stringify({
    requestContext: { functionArn: `arn:aws:lambda:eu-west-1:000000000000:function:${name}:$LATEST` },
    DDBStreamBatchInfo: { batchSize: 1 },
    payload: JSON.stringify({ Records }),
  });
};
const key = (name: string): string => `aws/lambda/mapping/shard/2026/11/20/${name}`;

describe('batches that a reader of the stream gave up', () => {
  it('are read again by task, each in the order of its writes, whatever their objects are called', async () => {
    const world = new World();
    world.objects.set(key('b'), batch('T1@1001', 'T2@1002'));
    world.objects.set(key('a'), batch('T1@1005', 'T1@1004'));
    world.objects.set(key('c'), batch('T1@999'));
    await world.drain();
    expect([...world.objects.keys()].every((each) => each.startsWith('failed-batches/'))).toBe(true);
    expect(world.read).toEqual([]);
    world.seconds = 61;
    expect(await world.drain()).toMatchObject({ retried: 4, failed: [] });
    expect(world.read.filter((each) => each.startsWith('ledger task#T1'))).toEqual(
      ['999', '1001', '1004', '1005'].map((each) => `ledger task#T1@${each}`),
    );
    expect(world.read).toContain('ledger task#T2@1002');
    const letter = await requireDeadLetter(String(world.lanes()[0]?.letters[0]?.id), world.store);
    expect(letter).toMatchObject({ operation: 'stream:ledger', status: 'resolved' });
  });

  it('wait for a person where the ledger still fails, do not hold up a launch of their task, and are sent by her word', async () => {
    const world = new World();
    world.tasks.set('T1', waiting('T1'));
    world.failing.add('ledger');
    world.objects.set(key('a'), batch('T1@1'));
    await recordDeadLetter(message('a', 'T1'), world.store, FIXED_NOW);
    for (const seconds of [0, 61, 1_000, 5_000]) {
      world.seconds = seconds;
      await world.drain();
    }
    expect(world.sent).toEqual(['T1 agent 1']);
    const of = world
      .lanes()
      .flatMap(({ letters }) => letters)
      .find(({ operation }) => operation === 'stream:ledger');
    expect(of).toMatchObject({ status: 'abandoned', attempts: 3 });
    world.failing.clear();
    const word = { by: 'ann', reason: 'mended' };
    await applyDeadLetterAction(String(of?.id), 'requeue', word, world.store, world.now);
    await world.drain();
    expect(world.read).toEqual(['ledger task#T1@1']);
  });

  it('of the conductor wait for nobody else, and are of their task, or of a request', async () => {
    const world = new World();
    world.failing.add('ledger');
    world.objects.set(key('a'), batch('T1@1'));
    world.objects.set(key('b'), batchOf('conductor', 'T1@1', 'request#R1@2'));
    await world.drain();
    world.seconds = 61;
    await world.drain();
    expect(world.read).toEqual(['conductor task#T1@1', 'conductor request#R1@2']);
    const all = world.lanes().flatMap(({ letters }) => letters);
    expect(
      all
        .map((each) => [
          parseDeadLetterRetryQueueId(each.id),
          each.operation,
          letterTaskId(each),
          each.status,
        ])
        .sort(),
    ).toEqual([
      ['R1_conductor_request', 'stream:conductor', null, 'resolved'],
      ['T1_conductor', 'stream:conductor', 'T1', 'resolved'],
      ['T1_ledger', 'stream:ledger', 'T1', 'pending'],
    ]);
  });

  it('of notifications are of their task, each in a lane of its own, and are queued again', async () => {
    const world = new World();
    const body = (target: string, id: string, task: object | null) =>
      JSON.stringify({
        kind: 'notice',
        target,
        notice: { id, name: 'Task Failed', at: FIXED_NOW.toISOString(), summary: 'no', task, detail: {} },
      });
    const task = {
      ...{ id: 'T1', title: 'a', repository: 'https://github.com/acme/a' },
      ...{ version: 2, role: 'backend', attempts: 1, cost_usd: null },
    };
    const dead = (id: string, text: string) =>
      recordDeadLetter({ queue: 'notices', id, body: text, sentAt: FIXED_NOW }, world.store, world.now);
    await dead('m1', body('team', 'T1#2#task_failed', task));
    await dead('m1', body('team', 'T1#2#task_failed', task));
    await dead('m2', body('hook', 'T1#2#task_failed', task));
    await dead('m3', body('hook', 'alarm-1', null));
    const letters = world.lanes().flatMap(({ letters: of }) => of);
    expect(letters.map((each) => [each.operation, letterTaskId(each)])).toEqual([
      ['notice:deliver', 'T1'],
      ['notice:deliver', 'T1'],
      ['notice:deliver', null],
    ]);
    const longest = { ...task, id: 'T'.repeat(64) };
    const { id: long } = parseFailedOperationMessage({
      ...{ queue: 'notices', id: 'm4', sentAt: FIXED_NOW },
      body: body('h'.repeat(40), 'T#2#task_failed', longest),
    });
    for (const id of [...letters.map((each) => each.id), long])
      expect(DeadLetterId.safeParse(id).success, id).toBe(true);
    world.seconds = 61;
    await world.drain();
    expect(world.sent.toSorted((one, other) => one.localeCompare(other))).toEqual([
      'notice hook',
      'notice hook',
      'notice team',
    ]);
    expect(world.lanes().flatMap(({ letters: of }) => of.map(({ status }) => status))).toEqual(
      Array(3).fill('resolved'),
    );
  });

  it('that nobody can read stay in a letter', async () => {
    const world = new World();
    world.objects.set(key('a'), '{"DDBStreamBatchInfo":{}}');
    world.objects.set(key('b'), batch('T1@one'));
    world.objects.set(key('c'), batchOf('nobody', 'T1@1'));
    world.objects.set(key('d'), batchOf('conductor', 'lock#r@1'));
    expect(await world.drain()).toMatchObject({ retried: 0, failed: [] });
    expect([...world.objects.keys()]).toEqual([]);
    const all = world.lanes().flatMap(({ letters }) => letters);
    expect(all.map(({ operation }) => operation)).toEqual(Array.from({ length: 4 }, () => 'stream:record'));
  });

  it('none is lost, and each task keeps its order, wherever who takes them up dies', async () => {
    const crashes = fc.array(fc.nat(60), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(crashes, async (at) => {
        const world = new World(at);
        world.objects.set(key('a'), batch('T1@1', 'T2@2'));
        world.objects.set(key('b'), batch('T1@3'));
        world.objects.set(key('c'), batchOf('conductor', 'T1@1', 'request#R1@4'));
        world.objects.set(key('d'), batchOf('conductor', 'T1@3', 'request#R1@5'));
        for (let round = 0; round < 12; round++) {
          await world.life(() => world.drain());
          world.seconds += 200;
        }
        expect([...world.objects.keys()].filter((each) => each.startsWith('aws/'))).toEqual([]);
        const first = (record: string): number => world.read.indexOf(record);
        expect(first('ledger task#T2@2')).toBeGreaterThanOrEqual(0);
        for (const [a, b] of [
          ['ledger task#T1@1', 'ledger task#T1@3'],
          ['conductor task#T1@1', 'conductor task#T1@3'],
          ['conductor request#R1@4', 'conductor request#R1@5'],
        ] as const) {
          expect(first(a)).toBeGreaterThanOrEqual(0);
          expect(first(b)).toBeGreaterThan(first(a));
        }
      }),
      { numRuns: 200 },
    );
  });
});
