import { expect, it } from 'vitest';
import { Budget, BudgetSpentError } from '../../../../../gates/tests/experiments/engine/budget.ts';
import {
  type RunTests,
  untilBudgetIsSpent,
  withBudget,
} from '../../../../../gates/tests/experiments/engine/experiment-context.ts';

const budget = (): Budget =>
  new Budget({ suiteMs: 1, factor: 1, timeLeftMs: () => Number.POSITIVE_INFINITY });
const runs = (ran: string[], cpuMs: number): RunTests =>
  (async (tree, { environment = {}, limitMs = null } = {}) => {
    ran.push(`${tree} ${JSON.stringify(environment)} ${limitMs}`);
    return { outcome: 'passed', processResult: { cpuMs, durationMs: 1 } };
  }) as RunTests;

it('runs no tree twice in the same environment, unless its time is short, and none without a limit', async () => {
  const ran: string[] = [];
  const runTests = withBudget(runs(ran, 1), budget(), 9);
  await Promise.all([
    runTests('a'),
    runTests('a'),
    runTests('a', { environment: { TZ: 'UTC' } }),
    runTests('b'),
  ]);
  await runTests('a', {});
  await runTests('a', { limitMs: 5 });
  expect(ran).toEqual(['a {} 9', 'a {"TZ":"UTC"} 9', 'b {} 9', 'a {} 5']);
});

it('begins no run after the budget is spent, and keeps what was done before', async () => {
  const ran: string[] = [];
  const runTests = withBudget(runs(ran, 60_000), budget(), 9);
  const isComplete = await untilBudgetIsSpent(async () => {
    for (const tree of ['a', 'b', 'c']) await runTests(tree);
  });
  expect(isComplete).toBe(false);
  expect(ran).toEqual(['a {} 9', 'b {} 9']);
  await expect(runTests('d')).rejects.toBeInstanceOf(BudgetSpentError);
});
