import { createHash } from 'node:crypto';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FargatePool } from '../../../shared/control/admission/container-capacity.ts';
import { measureItemBytes } from '../../../shared/lib/item-size.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { RunningContainerStore } from '../../../shared/store/running-containers.ts';
import { FIXED_NOW } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

let made = 0;
const items = async () =>
  (await table.db.send(new ScanCommand({ TableName: 'tasks', ConsistentRead: true }))).Items ?? [];
/** A register of its own in the same table. */
async function fresh(vcpus: number): Promise<RunningContainerStore> {
  for (const { pk, sk } of await items())
    await table.db.send(new DeleteCommand({ TableName: 'tasks', Key: { pk, sk } }));
  made += 1;
  return new RunningContainerStore(new ItemTable(table.db, 'tasks'), {
    on_demand: vcpus * 1_024,
    spot: 1_024,
  });
}
type Priority = 1 | 2 | 3;
const ask = (box: string, by: string, priority: Priority = 2) => ({ name: box, by, priority });
/** Of one submitter alone, unless said. */
const admit = async (
  register: RunningContainerStore,
  box: string,
  pool: FargatePool,
  cpu: number,
  at = FIXED_NOW,
  by = 'ann',
  priority: Priority = 2,
) => {
  const entry = await register.admit(ask(box, by, priority), pool, cpu, at);
  return typeof entry === 'string' ? null : entry;
};
const name = (index: number): string => `T${made}/1/agent/${index}`;

it('lets in as many at once as have room together, whoever asks first, and each once', async () => {
  const register = await fresh(6);
  const let1 = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      admit(register, name(index % 10), 'on_demand', 1_024, FIXED_NOW),
    ),
  );
  const names = new Set(let1.flatMap((each) => each?.name ?? []));
  expect(names.size).toBe(6);
  expect(await register.list()).toHaveLength(6);
});

it('keeps on demand and Spot apart, as their quotas are', async () => {
  const register = await fresh(1);
  expect(await admit(register, name(1), 'on_demand', 1_024, FIXED_NOW)).not.toBeNull();
  expect(await admit(register, name(2), 'on_demand', 256, FIXED_NOW)).toBeNull();
  expect(await admit(register, name(2), 'spot', 1_024, FIXED_NOW)).toMatchObject({ pool: 'spot', arn: null });
});

it('finds a box that was let in on Spot when it asks on demand the next time', async () => {
  const register = await fresh(1);
  await admit(register, name(1), 'spot', 1_024, FIXED_NOW);
  expect(await admit(register, name(1), 'on_demand', 1_024, FIXED_NOW)).toMatchObject({ pool: 'spot' });
  expect(await register.list()).toHaveLength(1);
});

it('writes down what runs a box, unless it is out already', async () => {
  const register = await fresh(6);
  const entry = await admit(register, name(1), 'on_demand', 1_024, FIXED_NOW);
  if (!entry) throw new Error('there is room');
  await register.recordStart(entry, 'arn:1');
  expect(await register.find(name(1))).toMatchObject({ arn: 'arn:1' });
  await register.release(entry);
  await register.recordStart(entry, 'arn:2');
  expect(await register.find(name(1))).toBeNull();
});

it('uses nearly all of a large limit, over several items', async () => {
  const register = await fresh(64);
  let boxes = 0;
  for (let index = 0; index < 80; index += 1)
    if (await admit(register, name(index), 'on_demand', 1_024, FIXED_NOW)) boxes += 1;
  expect(boxes).toBeGreaterThan(56);
  expect(boxes).toBeLessThanOrEqual(64);
  const shards = new Set((await register.list()).map(({ shard }) => shard));
  expect(shards.size).toBe(4);
});

it('is never over its limit and never under what is in it, whatever comes twice or never', async () => {
  const step = fc.record({
    box: fc.nat(5),
    does: fc.constantFrom('admit', 'started', 'release'),
    cpu: fc.constantFrom(256, 1_024, 2_048),
    pool: fc.constantFrom<FargatePool>('on_demand', 'spot'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const register = await fresh(3);
      for (const { box, does, cpu, pool } of steps) {
        const entry = await register.find(name(box));
        if (does === 'admit') await admit(register, name(box), pool, cpu, FIXED_NOW);
        else if (entry && does === 'started') await register.recordStart(entry, 'arn');
        // Twice, as an event and the round may.
        else if (entry) await Promise.all([register.release(entry), register.release(entry)]);
        const all = await register.list();
        const sum = (of: FargatePool) =>
          all.filter((each) => each.pool === of).reduce((total, each) => total + each.cpu, 0);
        expect(sum('on_demand')).toBeLessThanOrEqual(3 * 1_024);
        expect(sum('spot')).toBeLessThanOrEqual(1_024);
      }
      for (const each of await register.list()) await register.release(each);
      // All of the room is there again.
      expect(await admit(register, name(9), 'on_demand', 3 * 1_024, FIXED_NOW)).not.toBeNull();
    }),
    { numRuns: 25 },
  );
});

it('keeps the next room for one that has asked for little, while another asks for much', async () => {
  const register = await fresh(6);
  const much = Array.from({ length: 40 }, (_, index) => name(index));
  for (const box of much) await admit(register, box, 'on_demand', 1_024, FIXED_NOW, 'much');
  expect(await register.admit(ask(name(100), 'little'), 'on_demand', 1_024, FIXED_NOW)).toBe('next');
  const [first] = await register.list();
  if (!first) throw new Error('six are in');
  await register.release(first);
  const soon = new Date(FIXED_NOW.getTime() + 29_000);
  for (const box of much.slice(-10))
    expect(await admit(register, box, 'on_demand', 1_024, soon, 'much')).toBeNull();
  expect(await admit(register, name(100), 'on_demand', 1_024, soon, 'little')).not.toBeNull();
});

it('keeps room for nobody who comes no more', async () => {
  const register = await fresh(1);
  const running = await admit(register, name(1), 'on_demand', 1_024, FIXED_NOW, 'much');
  expect(await register.admit(ask(name(2), 'little'), 'on_demand', 1_024, FIXED_NOW)).toBe('next');
  expect(await register.admit(ask(name(3), 'much'), 'on_demand', 512, FIXED_NOW)).toBe('next');
  if (!running) throw new Error('there is room');
  const later = new Date(FIXED_NOW.getTime() + 61_000);
  await register.release({ ...running });
  expect(await admit(register, name(3), 'on_demand', 512, later, 'much')).not.toBeNull();
});

it('keeps the next room for the higher priority, also of one submitter', async () => {
  const register = await fresh(1);
  const running = await admit(register, name(1), 'on_demand', 1_024, FIXED_NOW, 'ann', 3);
  if (!running) throw new Error('there is room');
  expect(await register.admit(ask(name(2), 'ann', 1), 'on_demand', 1_024, FIXED_NOW)).toBe('next');
  await register.release(running);
  expect(await admit(register, name(3), 'on_demand', 1_024, FIXED_NOW, 'ann', 3)).toBeNull();
  expect(await admit(register, name(4), 'on_demand', 1_024, FIXED_NOW, 'bob', 2)).toBeNull();
  const urgent = await admit(register, name(2), 'on_demand', 1_024, FIXED_NOW, 'ann', 1);
  if (!urgent) throw new Error('the room is its own');
  await register.release(urgent);
  // Its word has ended with it.
  expect(await admit(register, name(4), 'on_demand', 1_024, FIXED_NOW, 'bob', 2)).not.toBeNull();
});

it('writes an item of a few KB however many wait, and counts what is passed over only while it waits', async () => {
  const register = await fresh(16);
  const of = async () =>
    (await items()).find(({ pk, sk }) => pk === 'containers#on_demand' && sk === '000000') ?? {};
  for (let index = 0; index < 70; index++) {
    const by = createHash('sha256')
      .update(`${index % 20}`)
      .digest('hex')
      .slice(0, 32);
    await admit(register, name(index), 'on_demand', 1_024, FIXED_NOW, by, ((index % 3) + 1) as Priority);
  }
  expect(measureItemBytes(await of())).toBeLessThan(8 * 1_024);
  const words = async () => Object.keys(await of()).filter((each) => each.startsWith('wait:'));
  expect((await words()).length).toBe(30);
  const [first] = await register.list();
  if (!first) throw new Error('some are in');
  await register.release(first);
  const waiting = (await words()).map((each) => each.slice('wait:'.length));
  let taken = 0;
  for (const each of waiting) {
    const index = Number(each.split('/').at(-1));
    const by = createHash('sha256')
      .update(`${index % 20}`)
      .digest('hex')
      .slice(0, 32);
    if (await admit(register, each, 'on_demand', 1_024, FIXED_NOW, by, ((index % 3) + 1) as Priority))
      taken += 1;
  }
  expect(taken).toBe(1);
  expect(await of()).toMatchObject({ 'passed:3': expect.any(Number) });
  const long = new Date(FIXED_NOW.getTime() + 120_000);
  const [second] = await register.list();
  if (!second) throw new Error('some are in');
  await register.release(second);
  expect(await admit(register, name(500), 'on_demand', 1_024, long, 'ann', 1)).not.toBeNull();
  expect(await of()).not.toHaveProperty('passed:3');
});
