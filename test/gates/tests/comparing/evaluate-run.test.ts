import { expect, test } from 'vitest';
import { buildBaselineResult } from '../../../../gates/tests/comparing/baseline-result.ts';
import { evaluateTestRun } from '../../../../gates/tests/comparing/evaluate-run.ts';
import type { CompletedCommandRun } from '../../../../gates/tests/running/command-run.ts';

const runWithoutTests = (outcome: 'passed' | 'failed'): CompletedCommandRun => ({
  processResult: { exitCode: outcome === 'passed' ? 0 : 1, output: '', truncatedBytes: 0 } as never,
  report: { findings: [] } as never,
  cases: [],
  outcome,
  detail: '',
});

test.each([
  ['passed', { tests: 0, baseline_tests: 0 }],
  ['failed', undefined],
  [null, undefined],
] as const)('a run of no test is compared with a run on the base that %s', async (onBase, facts) => {
  const result = await evaluateTestRun(runWithoutTests('passed'), {
    getBaseline: onBase && (async () => buildBaselineResult(runWithoutTests(onBase))),
  });
  expect([result.outcome, result.facts]).toEqual(['could_not_run', facts]);
});
