import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lesser, minimal } from '../../../lab/simulator/minimal.ts';
import { type Plan, plans } from '../../../lab/simulator/plan.ts';

const parts = ({
  tasks,
  actions,
  faults,
  outages,
  powerCuts,
  mainMoves,
  lostStarts,
  doubleStarts,
  cutShort,
  redelivery,
}: Plan): number =>
  [lostStarts, doubleStarts, cutShort, redelivery].filter((share) => share > 0).length +
  [actions, faults, outages, powerCuts, mainMoves].reduce((sum, list) => sum + list.length, 0) +
  tasks.reduce(
    (sum, { works, dependsOn, files, said, requested, judged }) =>
      sum +
      1 +
      works.length +
      dependsOn.length +
      files.length +
      said.length +
      Number(requested !== null) +
      Number(judged) +
      works.reduce((asked, { asks, leave }) => asked + Number(asks !== null) + leave.length, 0),
    0,
  );

test('a plan with one thing less is a plan: smaller, not empty, and tasks depend on earlier ones only', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      for (const less of lesser(plan)) {
        expect(parts(less)).toBeLessThan(parts(plan));
        expect(less.tasks.length).toBeGreaterThan(0);
        for (const [index, { dependsOn, works }] of less.tasks.entries()) {
          expect(works.length).toBeGreaterThan(0);
          for (const each of dependsOn) expect(each >= 0 && each < index).toBe(true);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('what is left breaks the promise, and nothing of it could be left out', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const breaks = async ({ tasks }: Plan): Promise<boolean> =>
        tasks.some(({ works }) => works.some(({ quality }) => quality === 'bad'));
      if (!(await breaks(plan))) return;
      const found = await minimal(plan, breaks);
      expect(await breaks(found)).toBe(true);
      expect(parts(found)).toBe(2);
    }),
    { numRuns: 30 },
  );
});
