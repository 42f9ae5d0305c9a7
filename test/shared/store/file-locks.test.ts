import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFileOverlap, findFileOverlap } from '../../../shared/contract/submission/file-overlap.ts';
import { LockWorld } from './lock-world.ts';

const path = fc.constantFrom('.', 'a', 'a/b', 'a/b/c.ts', 'a/d.ts', 'e', 'e/f.ts', 'ab');
const files = fc.uniqueArray(path, { minLength: 1, maxLength: 3 });
const task = fc.nat({ max: 4 });
const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('step' as const), choice: fc.nat({ max: 50 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('claim' as const), task }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim at one go' as const), task }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), task }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), task }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), task }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), choice: fc.nat({ max: 50 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(1, 5_000, 12_000, 25_000, 61_000),
    }),
  },
);

const nobody = () => undefined;

describe('files of a repository', () => {
  it('are never held by two live tasks, however requests interleave, processes die and leases end; and are free in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(files, { minLength: 5, maxLength: 5 }),
        fc.array(event, { maxLength: 120 }),
        async (of, events) => {
          const world = new LockWorld(of);
          for (const each of events) {
            if (each.kind === 'claim') world.claim(each.task).catch(nobody);
            else if (each.kind === 'claim at one go') {
              world.claim(each.task).catch(nobody);
              await world.settle();
            } else if (each.kind === 'release') world.release(each.task).catch(nobody);
            else if (each.kind === 'step') await world.step(each.choice);
            else if (each.kind === 'time') world.now += each.ms;
            else if (each.kind === 'kill') {
              const victim = world.pending[each.choice % Math.max(1, world.pending.length)]?.process;
              world.pending = world.pending.filter(({ process }) => process !== victim);
            } else if (each.kind === 'end') {
              world.status[each.task] = 'done';
            } else if (world.status[each.task] === 'claimed') world.status[each.task] = 'open';
            expect(world.clash()).toBeNull();
          }
          await world.settle();
          expect(world.clash()).toBeNull();
          world.now += 61_000;
          for (const index of of.keys()) world.status[index] = 'done';
          for (const index of of.keys()) {
            world.status[index] = 'open';
            const claimed = world.claim(index);
            await world.settle();
            expect(await claimed).toBeNull();
            expect(world.status[index]).toBe('claimed');
            world.status[index] = 'done';
            void world.release(index);
            await world.settle();
          }
          expect(world.size).toBe(0);
        },
      ),
      { numRuns: 600 },
    );
  });

  const grantsOne = fc.asyncProperty(fc.array(fc.nat({ max: 7 }), { maxLength: 40 }), async (choices) => {
    const world = new LockWorld([['a'], ['a/b'], ['.']]);
    const claims = [0, 1, 2].map((index) => world.claim(index));
    for (const choice of choices) await world.step(choice);
    await world.settle();
    await Promise.all(claims);
    expect(world.status.filter((status) => status === 'claimed')).toHaveLength(1);
  });

  it('are granted to exactly one of three tasks that ask at the same moment', async () => {
    await fc.assert(grantsOne, { numRuns: 1_000 });
  });

  it('are granted also while later tasks repeat their requests', async () => {
    await fc.assert(grantsOne, { seed: -1334734913, path: '126:20:29:41', endOnFailure: true });
  });
});

describe('overlapping paths', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', 'src/a.ts is held'],
    ['src/a.ts', 'src/', 'src/a.ts is held, through src/,'],
    ['src', 'src/deep/a.ts', 'src is held, through src/deep/a.ts,'],
    ['./src//a.ts', 'src/a.ts', './src//a.ts is held, through src/a.ts,'],
    ['.', 'x', '. is held, through x,'],
  ])('%s meets %s', (file, held, said) => {
    const found = findFileOverlap(
      ['other', file].slice(file === '.' ? 1 : 0),
      ['nothing', held].slice(file === '.' ? 1 : 0),
    );
    expect(found).toEqual({ wantedPath: file, lockedPath: held });
    expect(found && describeFileOverlap(found)).toBe(said);
  });

  it('are not those that only begin alike', () => {
    expect(findFileOverlap(['src/a.ts', 'ab'], ['src/a.tsx', 'a', 'abc'])).toBeNull();
  });
});
