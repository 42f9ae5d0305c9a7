import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExclusiveGroupLock } from '../../../workspace/process/exclusive-groups.ts';

const soon = (ticks: number): Promise<void> =>
  ticks === 0
    ? Promise.resolve()
    : new Promise<void>((resolve) => setImmediate(resolve)).then(() => soon(ticks - 1));

test('two groups are never in at once, everybody gets in, and whoever waits is let in before those who come later', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ group: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3), pause: fc.nat(2) }), {
        maxLength: 20,
      }),
      async (visits) => {
        const turns = new ExclusiveGroupLock();
        const inside: string[] = [];
        const let_in: string[] = [];
        let mixed = false;
        const all: Promise<void>[] = [];
        for (const { group, ticks, pause } of visits) {
          all.push(
            turns.runInGroup(group, async () => {
              inside.push(group);
              let_in.push(group);
              mixed ||= inside.some((other) => other !== group);
              await soon(ticks);
              inside.splice(inside.indexOf(group), 1);
            }),
          );
          await soon(pause);
        }
        await Promise.all(all);
        expect(mixed).toBe(false);
        expect(let_in).toHaveLength(visits.length);
      },
    ),
  );
});

test('who comes later does not overtake who waits, even when his own group is in', async () => {
  const turns = new ExclusiveGroupLock();
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const visit = (group: string, name: string, until: Promise<void>) =>
    turns.runInGroup(group, async () => {
      order.push(name);
      await until;
    });
  const done = Promise.resolve();
  const all = [
    visit('patch', 'first', end.promise),
    visit('base', 'asks', done),
    visit('patch', 'late', done),
    visit('base', 'asks too', done),
  ];
  await soon(2);
  expect(order).toEqual(['first']);
  end.resolve();
  await Promise.all(all);
  expect(order).toEqual(['first', 'asks', 'asks too', 'late']);
});

test('the clock stands still while somebody waits, and goes on afterwards', async () => {
  const turns = new ExclusiveGroupLock();
  const end = Promise.withResolvers<void>();
  const running = turns.runInGroup('patch', () => end.promise);
  const waiting = turns.runInGroup('base', async () => {});
  const before = turns.nowExcludingWaits();
  const from = performance.now();
  while (performance.now() - from < 20) await soon(1);
  expect(turns.nowExcludingWaits() - before).toBeLessThan(15);
  end.resolve();
  await Promise.all([running, waiting]);
  const again = turns.nowExcludingWaits();
  while (performance.now() - from < 60) await soon(1);
  expect(turns.nowExcludingWaits()).toBeGreaterThan(again);
});

test('a visit that throws leaves the door open', async () => {
  const turns = new ExclusiveGroupLock();
  await expect(turns.runInGroup('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.runInGroup('b', async () => 1)).toBe(1);
});
