import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BoxRegister } from '../../../shared/store/box-register.ts';
import type { Pool } from '../../../shared/task/box-room.ts';
import { NOW } from '../../support/builders.ts';
import { testTable } from '../../support/dynalite.ts';

let table: Awaited<ReturnType<typeof testTable>>;
beforeAll(async () => {
  table = await testTable();
});
afterAll(() => table.close());

let made = 0;
/** A register of its own in the same table. */
async function fresh(vcpus: number): Promise<BoxRegister> {
  for (const each of await table.register.list()) await table.register.release(each);
  made += 1;
  return new BoxRegister(table.db, 'tasks', { on_demand: vcpus * 1_024, spot: 1_024 });
}
/** Of one submitter alone, unless said. */
const admit = async (register: BoxRegister, box: string, pool: Pool, cpu: number, at = NOW, by = 'ann') => {
  const entry = await register.admit(box, pool, cpu, by, at);
  return typeof entry === 'string' ? null : entry;
};
const name = (index: number): string => `T${made}/1/agent/${index}`;

it('lets in as many at once as have room together, whoever asks first, and each once', async () => {
  const register = await fresh(6);
  const let1 = await Promise.all(
    Array.from({ length: 20 }, (_, index) => admit(register, name(index % 10), 'on_demand', 1_024, NOW)),
  );
  const names = new Set(let1.flatMap((each) => each?.name ?? []));
  expect(names.size).toBe(6);
  expect(await register.list()).toHaveLength(6);
});

it('keeps on demand and Spot apart, as their quotas are', async () => {
  const register = await fresh(1);
  expect(await admit(register, name(1), 'on_demand', 1_024, NOW)).not.toBeNull();
  expect(await admit(register, name(2), 'on_demand', 256, NOW)).toBeNull();
  expect(await admit(register, name(2), 'spot', 1_024, NOW)).toMatchObject({ pool: 'spot', arn: null });
});

it('finds a box that was let in on Spot when it asks on demand the next time', async () => {
  const register = await fresh(1);
  await admit(register, name(1), 'spot', 1_024, NOW);
  expect(await admit(register, name(1), 'on_demand', 1_024, NOW)).toMatchObject({ pool: 'spot' });
  expect(await register.list()).toHaveLength(1);
});

it('writes down what runs a box, unless it is out already', async () => {
  const register = await fresh(6);
  const entry = await admit(register, name(1), 'on_demand', 1_024, NOW);
  if (!entry) throw new Error('there is room');
  await register.started(entry, 'arn:1');
  expect(await register.find(name(1))).toMatchObject({ arn: 'arn:1' });
  await register.release(entry);
  await register.started(entry, 'arn:2');
  expect(await register.find(name(1))).toBeNull();
});

it('uses nearly all of a large limit, over several items', async () => {
  const register = await fresh(64);
  let boxes = 0;
  for (let index = 0; index < 80; index += 1)
    if (await admit(register, name(index), 'on_demand', 1_024, NOW)) boxes += 1;
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
    pool: fc.constantFrom<Pool>('on_demand', 'spot'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const register = await fresh(3);
      for (const { box, does, cpu, pool } of steps) {
        const entry = await register.find(name(box));
        if (does === 'admit') await admit(register, name(box), pool, cpu, NOW);
        else if (entry && does === 'started') await register.started(entry, 'arn');
        // Twice, as an event and the round may.
        else if (entry) await Promise.all([register.release(entry), register.release(entry)]);
        const all = await register.list();
        const sum = (of: Pool) =>
          all.filter((each) => each.pool === of).reduce((total, each) => total + each.cpu, 0);
        expect(sum('on_demand')).toBeLessThanOrEqual(3 * 1_024);
        expect(sum('spot')).toBeLessThanOrEqual(1_024);
      }
      for (const each of await register.list()) await register.release(each);
      // All of the room is there again.
      expect(await admit(register, name(9), 'on_demand', 3 * 1_024, NOW)).not.toBeNull();
    }),
    { numRuns: 25 },
  );
});

it('keeps the next room for one that has asked for little, while another asks for much', async () => {
  const register = await fresh(6);
  const much = Array.from({ length: 40 }, (_, index) => name(index));
  for (const box of much) await admit(register, box, 'on_demand', 1_024, NOW, 'much');
  expect(await register.admit(name(100), 'on_demand', 1_024, 'little', NOW)).toBe('next');
  const [first] = await register.list();
  if (!first) throw new Error('six are in');
  await register.release(first);
  const soon = new Date(NOW.getTime() + 29_000);
  for (const box of much.slice(-10))
    expect(await admit(register, box, 'on_demand', 1_024, soon, 'much')).toBeNull();
  expect(await admit(register, name(100), 'on_demand', 1_024, soon, 'little')).not.toBeNull();
});

it('keeps room for nobody who comes no more', async () => {
  const register = await fresh(1);
  const running = await admit(register, name(1), 'on_demand', 1_024, NOW, 'much');
  expect(await register.admit(name(2), 'on_demand', 1_024, 'little', NOW)).toBe('next');
  expect(await register.admit(name(3), 'on_demand', 512, 'much', NOW)).toBe('full');
  if (!running) throw new Error('there is room');
  const later = new Date(NOW.getTime() + 61_000);
  await register.release({ ...running });
  expect(await admit(register, name(3), 'on_demand', 512, later, 'much')).not.toBeNull();
});
