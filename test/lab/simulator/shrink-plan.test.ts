import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateSmallerPlans, shrinkPlan } from '../../../lab/simulator/shrink-plan.ts';
import { planArbitrary, type SimulationPlan } from '../../../lab/simulator/simulation-plan.ts';

const parts = ({
  tasks,
  actions,
  faults,
  outages,
  powerCuts,
  mainMoves,
  lostStarts,
  doubleStarts,
  diedStarts,
  redelivery,
}: SimulationPlan): number =>
  [lostStarts, doubleStarts, diedStarts, redelivery].filter((share) => share > 0).length +
  [actions, faults, outages, powerCuts, mainMoves].reduce((sum, list) => sum + list.length, 0) +
  tasks.reduce(
    (sum, { attempts, dependsOn, files, requestDecisions, requestMode, asksModel, challenge }) =>
      sum +
      1 +
      attempts.length +
      dependsOn.length +
      files.length +
      requestDecisions.length +
      Number(requestMode !== null) +
      Number(asksModel) +
      Number(challenge !== 'off') +
      attempts.reduce(
        (asked, { approvalRequest, approvalDecisions }) =>
          asked + Number(approvalRequest !== null) + approvalDecisions.length,
        0,
      ),
    0,
  );

test('a plan with one thing less is a plan: smaller, not empty, and tasks depend on earlier ones only', () => {
  fc.assert(
    fc.property(planArbitrary, (plan) => {
      for (const less of generateSmallerPlans(plan)) {
        expect(parts(less)).toBeLessThan(parts(plan));
        expect(less.tasks.length).toBeGreaterThan(0);
        for (const [index, { dependsOn, attempts }] of less.tasks.entries()) {
          expect(attempts.length).toBeGreaterThan(0);
          for (const each of dependsOn) expect(each >= 0 && each < index).toBe(true);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('what is left breaks the promise, and nothing of it could be left out', async () => {
  await fc.assert(
    fc.asyncProperty(planArbitrary, async (plan) => {
      const breaks = async ({ tasks }: SimulationPlan): Promise<boolean> =>
        tasks.some(({ attempts }) => attempts.some(({ quality }) => quality === 'bad'));
      if (!(await breaks(plan))) return;
      const found = await shrinkPlan(plan, breaks);
      expect(await breaks(found)).toBe(true);
      expect(parts(found)).toBe(2);
    }),
    { numRuns: 30 },
  );
});
