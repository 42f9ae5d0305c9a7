import { expect, it } from 'vitest';
import type { TreeTestRunner } from '../../../../../gates/tests/experiments/engine/experiment.ts';
import {
  createExperimentTestRunners,
  ExperimentBudgetSpentError,
  ExperimentCpuBudget,
  type ExperimentTestRunners,
  type ExperimentTestRunnersOptions,
  MissingExperimentEvidenceError,
  runUntilBudgetIsSpent,
} from '../../../../../gates/tests/experiments/engine/test-runners.ts';

const FOREVER = Number.POSITIVE_INFINITY;

function runnersOf(
  ran: string[],
  cpuMs: number,
  {
    timeLeftMs = () => FOREVER,
    ...given
  }: Partial<ExperimentTestRunnersOptions & { timeLeftMs: () => number }> = {},
): ExperimentTestRunners {
  const run = (async (tree, { environment = {}, limitMs = null } = {}) => {
    ran.push(`${tree} ${JSON.stringify(environment)} ${limitMs}`);
    return { outcome: 'passed', processResult: { cpuMs, durationMs: 1 } };
  }) as TreeTestRunner;
  return createExperimentTestRunners({
    run,
    budget: new ExperimentCpuBudget({ suiteMs: 1, factor: 1, timeLeftMs }),
    patchMs: 2_000,
    baseMs: 1_000,
    timeLimitMs: 300_000,
    startTimeLimit: (limitMs) => () => limitMs,
    ...given,
  });
}

it('runs no tree twice in the same environment, unless its time is short, and none without a limit', async () => {
  const ran: string[] = [];
  const { optional, startRequired } = runnersOf(ran, 1);
  await startRequired()('b');
  await Promise.all([
    optional('a'),
    optional('a'),
    optional('a', { environment: { TZ: 'UTC' } }),
    optional('b'),
  ]);
  await optional('a', {});
  await optional('a', { limitMs: 5 });
  expect(ran).toEqual(['b {} 70000', 'a {} 80000', 'a {"TZ":"UTC"} 80000', 'a {} 5']);
});

it('begins no optional run after the budget is spent, and keeps what was done before', async () => {
  const ran: string[] = [];
  const { optional } = runnersOf(ran, 6_000);
  const isComplete = await runUntilBudgetIsSpent(async () => {
    for (const tree of ['a', 'b', 'c']) await optional(tree);
  });
  expect(isComplete).toBe(false);
  expect(ran).toEqual(['a {} 80000', 'b {} 80000']);
  await expect(optional('d')).rejects.toBeInstanceOf(ExperimentBudgetSpentError);
});

it('charges required runs to the budget, refuses none of them, and lets optional rows read them after it is spent', async () => {
  const ran: string[] = [];
  const { optional, startRequired } = runnersOf(ran, 6_000);
  for (const tree of ['a', 'b', 'c']) await startRequired()(tree);
  await optional('a');
  await expect(optional('d')).rejects.toBeInstanceOf(ExperimentBudgetSpentError);
  expect(ran.map((each) => each[0])).toEqual(['a', 'b', 'c']);
});

it('ends required runs with the time of their row or the limit of the gate, whatever time the gate has left', async () => {
  const ran: string[] = [];
  const late = { timeLeftMs: () => 1 };
  await runnersOf(ran, 1, late).startRequired()('a');
  await runnersOf(ran, 1, { ...late, baseMs: 100_000 }).startRequired()('b');
  await runnersOf(ran, 1, { ...late, baseMs: null }).startRequired()('c', { limitMs: FOREVER });
  expect(ran).toEqual(['a {} 70000', 'b {} 300000', 'c {} 300000']);
  const spent = runnersOf(ran, 1, { startTimeLimit: () => () => 1 }).startRequired();
  await expect(spent('a')).rejects.toBeInstanceOf(MissingExperimentEvidenceError);
});
