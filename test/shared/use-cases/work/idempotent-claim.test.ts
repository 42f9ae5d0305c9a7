import { PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { submitTask } from '../../../../shared/use-cases/submit/submit-task.ts';
import {
  type ClaimContext,
  type ClaimedAttempt,
  claimNextOpenTask,
  claimTask,
} from '../../../../shared/use-cases/work/claim-task.ts';
import { createClaimKey } from '../../../../shared/use-cases/work/idempotent-claim.ts';
import {
  ANY_AGENTS,
  addSeconds,
  FIXED_NOW,
  REJECTING_OBJECTS,
  submission,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const SECRET = 'assay_op_of_ann';
const context = (
  key: string,
  request: unknown = 'next',
  more: { by?: string; secret?: string } = {},
): ClaimContext => {
  const by = more.by ?? 'ann';
  const made = createClaimKey(by, key, more.secret ?? SECRET, request);
  const { tasks, locks } = table;
  return {
    tasks,
    locks,
    now: FIXED_NOW,
    claimant: by,
    leaseSeconds: 120,
    idempotency: { key: made, store: table.claims },
  };
};
const external = async (role: string, id: string, files: string[] = []): Promise<void> => {
  await submitTask(submission({ id, role, files, runner: 'external' }), {
    tasks: table.tasks,
    now: FIXED_NOW,
    submitter: 'ann',
    idempotencyKey: null,
    allowFileRepositories: false,
    pushScopes: [],
    agents: ANY_AGENTS,
    objects: REJECTING_OBJECTS,
  });
};
const said = ({ task, attempt, token }: ClaimedAttempt) => [task.id, attempt, token];
const codeOf = async (claim: Promise<unknown>): Promise<unknown> =>
  claim.then(
    () => 'claimed',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  );
const attemptsOf = async (ids: readonly string[]): Promise<number> =>
  (await Promise.all(ids.map((id) => table.tasks.require(id)))).flatMap((task) => task.attempts).length;

it('gives the same task, attempt and token to each repeat, one after the other or at once', async () => {
  const ids = ['r1', 'r2', 'r3'];
  for (const id of ids) await external('repeat', id);
  const first = said(await claimNextOpenTask('repeat', context('k1')));
  expect(said(await claimNextOpenTask('repeat', context('k1')))).toEqual(first);
  const many = await Promise.all(Array.from({ length: 8 }, () => claimNextOpenTask('repeat', context('k2'))));
  expect(new Set(many.map((each) => JSON.stringify(said(each)))).size).toBe(1);
  expect(await attemptsOf(ids)).toBe(2);
});

it('loses no task when every answer is lost: 40 claims with a repeat each take 40 tasks', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `lost${index}`);
  for (const id of ids) await external('lost', id);
  const taken: unknown[] = [];
  for (const [index] of ids.entries()) {
    await claimNextOpenTask('lost', context(`lost-${index}`));
    taken.push((await claimNextOpenTask('lost', context(`lost-${index}`))).task.id);
  }
  expect(new Set(taken).size).toBe(40);
  expect(await attemptsOf(ids)).toBe(40);
});

it('carries out what it had meant to when it was cut off between the two writes', async () => {
  for (const id of ['c1', 'c2']) await external('cut', id);
  const { idempotency } = context('cut-key');
  await table.claims.put(
    idempotency?.key.id ?? '',
    { request: idempotency?.key.request ?? '', task: 'c2', version: 1 },
    null,
    FIXED_NOW,
  );
  expect((await claimNextOpenTask('cut', context('cut-key'))).task.id).toBe('c2');
});

it('looks for another task when the one that it meant was taken meanwhile, and stays with that', async () => {
  for (const id of ['m1', 'm2']) await external('meant', id);
  const { idempotency } = context('mine');
  await table.claims.put(
    idempotency?.key.id ?? '',
    { request: idempotency?.key.request ?? '', task: 'm1', version: 1 },
    null,
    FIXED_NOW,
  );
  await claimTask('m1', null, context('theirs', 'm1', { by: 'bob' }));
  const first = said(await claimNextOpenTask('meant', context('mine')));
  expect(first[0]).toBe('m2');
  expect(said(await claimNextOpenTask('meant', context('mine')))).toEqual(first);
});

it('refuses the key for another request, and is another key for another operator', async () => {
  for (const id of ['o1', 'o2', 'o3']) await external('other', id);
  const mine = await claimTask('o1', null, context('key', 'o1'));
  expect(await codeOf(claimTask('o2', null, context('key', 'o2')))).toBe('idempotency_mismatch');
  const theirs = await claimTask('o3', null, context('key', 'o3', { by: 'bob', secret: 'assay_op_of_bob' }));
  expect(theirs.token).not.toBe(mine.token);
  expect((await table.tasks.require('o2')).attempts).toEqual([]);
});

it('says that the attempt is over once it is, and starts no second one with the same key', async () => {
  await external('over', 'v1');
  await claimNextOpenTask('over', context('once'));
  await table.tasks.applyCommand('v1', (task) => ({
    event: 'reopen',
    task: {
      ...task,
      status: 'open',
      version: task.version + 1,
      attempts: task.attempts.map((each) => ({
        ...each,
        outcome: 'expired',
        ended_at: addSeconds(9).toISOString(),
      })),
    },
  }));
  expect(await codeOf(claimNextOpenTask('over', context('once')))).toBe('stale_lease');
  expect((await claimNextOpenTask('over', context('twice'))).attempt).toBe(2);
});

it('leaves a key free for later when there was nothing to claim', async () => {
  expect(await codeOf(claimNextOpenTask('empty', context('early')))).toBe('no_task');
  await external('empty', 'e1');
  expect((await claimNextOpenTask('empty', context('early'))).task.id).toBe('e1');
});

it('names the file that another task holds', async () => {
  await external('files', 'f1', ['src/a.ts', 'docs']);
  await external('files', 'f2', ['README.md', 'docs/x.md']);
  await claimTask('f1', null, context('f1', 'f1'));
  const error = await claimTask('f2', null, context('f2', 'f2')).catch((each: unknown) => each);
  expect(error).toMatchObject({
    code: 'files_locked',
    errors: [{ pointer: '/files/1', message: 'docs/x.md is held, through docs, by task f1' }],
  });
});

it('knows its own write again when the answer of the table was lost', async () => {
  await external('echo', 'w1');
  const send = table.db.send.bind(table.db);
  let lost = false;
  // The write arrives; its answer does not, so that the client sends it again.
  table.db.send = (async (command: unknown, ...rest: []) => {
    const answer = await send(command as PutCommand, ...rest);
    if (lost || !(command instanceof PutCommand) || command.input.Item?.['pk'] !== 'task#w1') return answer;
    lost = true;
    return send(command, ...rest);
  }) as typeof table.db.send;
  try {
    const { idempotency: _, ...plain } = context('none');
    expect((await claimTask('w1', null, plain)).attempt).toBe(1);
  } finally {
    table.db.send = send;
  }
  expect(lost).toBe(true);
});

it('whatever is repeated, cut off and raced, each key has at most one attempt and each attempt one key', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 3 }),
      async (calls, tasks) => {
        const role = `prop${run++}`;
        const ids = Array.from({ length: tasks }, (_, index) => `${role}-${index}`);
        for (const id of ids) await external(role, id);
        const answers = new Map<string, Set<string>>();
        const call = async (key: string): Promise<void> => {
          const claimed = await claimNextOpenTask(role, context(`${role}${key}`, role)).catch(() => null);
          if (claimed === null) return;
          answers.set(key, (answers.get(key) ?? new Set()).add(JSON.stringify(said(claimed))));
        };
        const together: Promise<void>[] = [];
        for (const [key, waits] of calls) {
          const made = call(key);
          if (waits) await made;
          together.push(made);
        }
        await Promise.all(together);
        for (const each of answers.values()) expect(each.size).toBe(1);
        expect(new Set([...answers.values()].flatMap((each) => [...each])).size).toBe(answers.size);
        expect(await attemptsOf(ids)).toBe(answers.size);
      },
    ),
    { numRuns: 25 },
  );
});
