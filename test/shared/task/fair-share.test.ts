import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNext, mayTake, submitterOf } from '../../../shared/task/fair-share.ts';
import { task } from '../../support/builders.ts';

const NOW = 1_000;
const shares = (held: Record<string, number>, waiting: Record<string, number> = {}) => ({
  held: new Map(Object.entries(held)),
  waiting: new Map(Object.entries(waiting)),
});

it.each([
  ['takes what nobody waits for, however much it has', 'much', { much: 9 }, {}, true],
  ['leaves it to one that waits and has less', 'much', { much: 9, little: 1 }, { little: NOW }, false],
  ['leaves it to one that waits and has nothing', 'much', { much: 9 }, { little: NOW }, false],
  ['takes it before one that waits and has as much', 'ann', { ann: 2, bob: 2 }, { bob: NOW }, true],
  ['takes it before one that waits and has more', 'little', { much: 9, little: 1 }, { much: NOW }, true],
  ['does not wait for itself', 'ann', { ann: 9 }, { ann: NOW }, true],
  ['does not wait for one that has not come again', 'much', { much: 9 }, { little: NOW - 1 }, true],
])('a submitter %s', (_case, who, held, waiting, may) => {
  expect(mayTake(who, shares(held as never, waiting as never), NOW)).toBe(may);
});

it('always lets one of those that wait take what is free', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  fc.assert(
    fc.property(fc.dictionary(names, fc.nat(9)), fc.uniqueArray(names, { minLength: 1 }), (held, waiting) => {
      const of = shares(held, Object.fromEntries(waiting.map((each) => [each, NOW])));
      expect(waiting.some((each) => mayTake(each, of, NOW))).toBe(true);
    }),
  );
});

it('asks again soon only who has less than another', () => {
  const of = shares({ much: 9, little: 1 });
  expect(['much', 'little', 'nothing'].map((who) => isNext(who, of))).toEqual([false, true, true]);
  expect(isNext('alone', shares({ alone: 3 }))).toBe(false);
});

it('gives each submitter an even part of the room, whoever comes first and however much each asks for', () => {
  const order = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
  fc.assert(
    fc.property(order, fc.integer({ min: 1, max: 4 }), (random, others) => {
      const ROOM = 10;
      const drawn = () => random.next().value as number;
      const asks = new Map([
        ['much', 1_000],
        ...Array.from({ length: others }, (_, at) => [`o${at}`, 3] as const),
      ]);
      const running: string[] = Array.from({ length: ROOM }, () => 'much');
      const waiting = new Map<string, number>();
      for (let round = 1; round <= 12 * others; round++) {
        // All come once, in any order, and say that they wait; then one box ends, and they come again.
        for (const again of [false, true]) {
          if (again) running.splice(Math.floor(drawn() * running.length), 1);
          // Each message comes by itself: a hundred of one for one of another.
          for (const who of [...Array<string>(100).fill('much'), ...asks.keys()].sort(() => drawn() - 0.5)) {
            const held = new Map<string, number>();
            for (const each of running) held.set(each, (held.get(each) ?? 0) + 1);
            if ((asks.get(who) ?? 0) === 0) continue;
            if (running.length < ROOM && mayTake(who, { held, waiting }, NOW)) {
              running.push(who);
              asks.set(who, (asks.get(who) ?? 0) - 1);
              waiting.delete(who);
            } else waiting.set(who, NOW + 60);
          }
        }
      }
      // Whoever asked for little has had all of it, one box that ended for each that was started.
      for (const [who, left] of asks) if (who !== 'much') expect(left, who).toBe(0);
    }),
    { numRuns: 50 },
  );
});

it('names a submitter in a way that a queue takes as a group', () => {
  const of = submitterOf(task({ created_by: 'Ann Ö. <ann@example.test>' }));
  expect(of).toMatch(/^[0-9a-f]{32}$/);
  expect(submitterOf(task({ created_by: 'bob' }))).not.toBe(of);
});
