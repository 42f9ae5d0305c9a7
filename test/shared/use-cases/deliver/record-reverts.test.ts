import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import type { DeliveryOutcome } from '../../../../shared/contract/task/delivery-outcome.ts';
import { findNewMergedWorkKeys } from '../../../../shared/contract/task/merged-work.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { deriveFileChangeOutcomeRows } from '../../../../shared/control/ledger/file-change-outcome-rows.ts';
import { deriveWorkOutcomeRows } from '../../../../shared/control/ledger/outcome-rows.ts';
import { WorkOutcomeRow } from '../../../../shared/control/ledger/record-rows.ts';
import { recordDeliveryOutcome } from '../../../../shared/control/task-commands/delivery-outcome.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { MergedWorkStore } from '../../../../shared/store/merged-work.ts';
import { TaskStore } from '../../../../shared/store/task-store.ts';
import { recordReverts } from '../../../../shared/use-cases/deliver/record-reverts.ts';
import {
  addSeconds,
  attempt,
  FIXED_NOW,
  fakeSha1,
  gate,
  task,
  verification,
} from '../../../support/builders.ts';
import { MemoryTable } from '../../../support/memory-table.ts';

const SHOP = 'https://github.com/acme/shop.git';
let store: TaskStore;
let landed: MergedWorkStore;
beforeEach(() => {
  const table = new MemoryTable();
  const db = {
    send: async (command: unknown) => table.carryOut(command),
  } as unknown as DynamoDBDocumentClient;
  store = new TaskStore(new ItemTable(db, 'tasks'));
  landed = new MergedWorkStore(new ItemTable(db, 'tasks'));
});

const delivery = {
  state: 'delivered',
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  branch: 'assay/T1',
  commit: fakeSha1('c'),
  reason: null,
  at: FIXED_NOW.toISOString(),
} as const;
const made = (fields: Partial<Task> = {}, repository = SHOP): Task =>
  task(
    {
      status: 'done',
      verified: true,
      delivery,
      attempts: [
        attempt({
          outcome: 'passed',
          verification: verification({
            gates: [{ ...gate({ name: 'tests', outcome: 'passed' }), finding_count: 0, facts: {} }],
            files_with_findings: [{ path: 'a.js', finding_count: 0, flaky_test_count: 0 }],
          }),
        }),
      ],
      ...fields,
    },
    { repository },
  );
const seen = (fields: object = {}) => ({
  task_id: 'T1' as string | null,
  reverted_commit: fakeSha1('c') as string | null,
  reverted_request: null,
  reverting_commit: fakeSha1('d'),
  at: addSeconds(60).toISOString(),
  ...fields,
});
const tell = (revert = seen(), repository = SHOP, now = addSeconds(3_600)) =>
  recordReverts(made({ id: 'T9' }, repository), [revert], { tasks: store, mergedWork: landed, now });
const byForge = (): Promise<unknown> =>
  store.applyCommand('T1', (each) => {
    const outcome: DeliveryOutcome = {
      outcome: 'reverted',
      at: FIXED_NOW.toISOString(),
      by: 'ada',
      request: 9,
      commit: null,
    };
    return recordDeliveryOutcome(each, outcome, addSeconds(1));
  });
const known = async (): Promise<readonly DeliveryOutcome[]> =>
  (await store.require('T1')).delivery_outcomes ?? [];

it('is one row that calls the gates which had passed it wrong, and a touch of each file', async () => {
  await store.create(made());
  const before = await store.require('T1');
  await tell();
  const after = await store.require('T1');
  expect(deriveWorkOutcomeRows(before, after).map((row) => WorkOutcomeRow.parse(row))).toMatchObject([
    {
      record_id: 'T1#outcome#reverted',
      outcome: 'reverted',
      by: 'git',
      request: null,
      commit: fakeSha1('d'),
      timestamp: addSeconds(60).toISOString(),
      passed_gates: ['tests'],
    },
  ]);
  expect(deriveFileChangeOutcomeRows(before, after)).toMatchObject([{ path: 'a.js', outcome: 'reverted' }]);
});

it('counts once, however many deliveries see it, and whether the forge tells it first, last or in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('forge', 'one', 'two'), { minLength: 1, maxLength: 8 }),
      async (told) => {
        await store.create(made({ id: 'T1' })).catch(() => {});
        await Promise.all(
          told.map((who) =>
            who === 'forge'
              ? byForge()
              : tell(seen({ reverting_commit: fakeSha1(who === 'one' ? '1' : '2') })),
          ),
        );
        expect((await known()).map(({ outcome: what }) => what)).toEqual(['reverted']);
      },
    ),
    { numRuns: 30 },
  );
});

it.each([
  ['before the work was delivered', addSeconds(-86_400).toISOString(), FIXED_NOW.toISOString()],
  ['in a year to come', '9999-12-31T23:59:59.000Z', addSeconds(3_600).toISOString()],
])('does not lie %s, whatever the commit says', async (_, at, expected) => {
  await store.create(made());
  await tell(seen({ at }));
  expect(await known()).toMatchObject([{ at: expected }]);
});

it.each<[string, Partial<Task>, string]>([
  ['of another repository', {}, 'https://github.com/evil/shop.git'],
  ['that was not delivered', { delivery: { ...delivery, state: 'refused', commit: null } }, SHOP],
  ['that is not done', { status: 'failed' }, SHOP],
])('says nothing of work %s', async (_, fields, repository) => {
  await store.create(made(fields));
  await tell(seen(), repository);
  expect(await known()).toEqual([]);
});

it('says nothing of a task that there is none of', async () => {
  await expect(tell(seen({ task_id: 'gone' }))).resolves.toMatchObject({ id: 'T9' });
});

it.each([
  ['by the request that merged it', { reverted_commit: null, reverted_request: 7 }],
  ['by the commit that it was squashed to', { reverted_commit: fakeSha1('e') }],
  ['by the one that merged that', { reverted_commit: fakeSha1('f') }],
])('knows whose work is undone %s, where a forge has told of the merge', async (_, by) => {
  await store.create(made());
  const before = await store.require('T1');
  await tell(seen({ task_id: null, ...by }));
  expect(await known()).toEqual([]);
  await store.applyCommand('T1', (each) =>
    recordDeliveryOutcome(
      each,
      {
        outcome: 'merged',
        at: FIXED_NOW.toISOString(),
        by: 'ada',
        request: 7,
        commit: fakeSha1('f'),
        squash_commit: fakeSha1('e'),
      },
      addSeconds(1),
    ),
  );
  for (const as of findNewMergedWorkKeys(before, await store.require('T1')))
    await landed.put(SHOP, as, 'T1', FIXED_NOW);
  await tell(seen({ task_id: null, ...by }), 'https://github.com/other/shop.git');
  expect((await known()).map(({ outcome: what }) => what)).toEqual(['merged']);
  await tell(seen({ task_id: null, ...by }));
  expect((await known()).map(({ outcome: what }) => what)).toEqual(['merged', 'reverted']);
});
