import { PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TaskSubmissionInput } from '../../../../shared/contract/submission/schema.ts';
import { submitBatch } from '../../../../shared/use-cases/submit/submit-batch.ts';
import type { SubmitContext } from '../../../../shared/use-cases/submit/submit-task.ts';
import { ANY_AGENTS, FIXED_NOW, REJECTING_OBJECTS, submission } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let send: typeof table.db.send;
beforeAll(async () => {
  table = await createTestTable();
  send = table.db.send.bind(table.db);
});
afterEach(() => {
  table.db.send = send;
});
afterAll(() => table.close());

const context = (key: string | null): SubmitContext => ({
  tasks: table.tasks,
  now: FIXED_NOW,
  submitter: 'ann',
  idempotencyKey: key,
  allowFileRepositories: false,
  pushScopes: [],
  agents: ANY_AGENTS,
  objects: REJECTING_OBJECTS,
});
const batch = (count: number, more: (index: number) => Partial<TaskSubmissionInput> = () => ({})) =>
  Array.from({ length: count }, (_, index) => submission({ title: `task ${index}`, ...more(index) }));
/** The table takes `writes` new tasks, and then no more. */
function failAfter(writes: number): { begun: number; most: number } {
  const seen = { begun: 0, most: 0 };
  let now = 0;
  table.db.send = (async (command: unknown, ...rest: []) => {
    if (!(command instanceof PutCommand)) return send(command as PutCommand, ...rest);
    if (++seen.begun > writes) throw new Error('the table is gone');
    now++;
    seen.most = Math.max(seen.most, now);
    return send(command, ...rest).finally(() => now--);
  }) as typeof table.db.send;
  return seen;
}
const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);

it('writes several at a time, but never more than a table takes at once', async () => {
  const seen = failAfter(Number.POSITIVE_INFINITY);
  expect(new Set(outcomes(await submitBatch(batch(100), context('wide'))))).toEqual(new Set(['created']));
  expect(seen.most).toBeGreaterThan(4);
  expect(seen.most).toBeLessThanOrEqual(16);
});

it('goes on where it stopped, wherever that was: nothing is written twice and nothing is left out', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 29 }),
      fc.integer({ min: 1, max: 30 }),
      async (writes, width) => {
        const key = `resume${run++}`;
        const ids = (index: number): string => `${key}-${index}`;
        const all = batch(30, (index) => ({
          id: ids(index),
          depends_on: index >= width ? [ids(index - width)] : [],
        }));
        failAfter(writes);
        await expect(submitBatch(all, context(key))).rejects.toThrow('the table is gone');
        table.db.send = send;
        const again = await submitBatch(all, context(key));
        expect(again.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
        expect(outcomes(again).filter((each) => each === 'existed')).toHaveLength(writes);
        expect(outcomes(await submitBatch(all, context(key))).every((each) => each === 'existed')).toBe(true);
      },
    ),
    { numRuns: 10 },
  );
});

it('begins nothing more once a write has failed', async () => {
  const seen = failAfter(3);
  await expect(submitBatch(batch(100), context('stop'))).rejects.toThrow('the table is gone');
  expect(seen.begun).toBeLessThanOrEqual(3 + 16);
});

it('refuses one task, and those that depend on it, when its id is taken in between; the others are made', async () => {
  table.db.send = (async (command: unknown, ...rest: []) => {
    if (command instanceof PutCommand && command.input.Item?.['id'] === 'taken') {
      table.db.send = send;
      await submitBatch([submission({ id: 'taken', title: 'somebody else' })], context(null));
    }
    return send(command as PutCommand, ...rest);
  }) as typeof table.db.send;
  const results = await submitBatch(
    [
      submission({ id: 'free' }),
      submission({ id: 'taken' }),
      submission({ id: 'after', depends_on: ['taken'] }),
    ],
    context(null),
  );
  expect(
    results.map((each) => [each.id, each.outcome, 'refusal' in each ? each.refusal.code : null]),
  ).toEqual([
    ['free', 'created', null],
    ['taken', 'refused', 'id_taken'],
    ['after', 'refused', 'dependency_unknown'],
  ]);
  expect(await table.tasks.get('after')).toBeNull();
});

it('writes nothing when one of the tasks is too large, and names it', async () => {
  const all = [submission({ id: 'small' }), submission({ id: 'large', description: 'é'.repeat(100_000) })];
  await expect(submitBatch(all, context(null))).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ pointer: expect.stringMatching(/^\/tasks\/1/) }],
  });
  expect(await table.tasks.get('small')).toBeNull();
});

it('asks for more dependencies than one read takes, and for no more than it may', async () => {
  const depends = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `none-${from + index}`);
  const refused = (tasks: number): Promise<unknown> =>
    submitBatch(
      batch(tasks, (index) => ({ depends_on: depends(index * 100, 100) })),
      context(null),
    ).catch((error: unknown) => error);
  expect(await refused(3)).toMatchObject({ code: 'dependency_unknown' });
  expect(await refused(11)).toMatchObject({ code: 'invalid', errors: [{ pointer: '/tasks' }] });
});
