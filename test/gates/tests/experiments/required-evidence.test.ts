import { describe, expect, test } from 'vitest';
import { TEST_GATE_TIME_LIMIT_COUNT } from '../../../../gates/core/experiment-settings.ts';
import type { PatchToCheck } from '../../../../gates/core/patch-to-check.ts';
import { createTestResult, type TestResult } from '../../../../gates/core/test-result.ts';
import type { BaselineResult } from '../../../../gates/tests/comparing/baseline-result.ts';
import { runExperimentsAgainstBase } from '../../../../gates/tests/experiments/compare-with-base.ts';
import type { TreeTestRunner } from '../../../../gates/tests/experiments/engine/experiment.ts';
import { TEST_EXPERIMENTS } from '../../../../gates/tests/experiments/registry.ts';
import { writeBaseTreeWithPatchTests } from '../../../../gates/tests/experiments/trees/changed-tests.ts';
import type { CompletedCommandRun } from '../../../../gates/tests/running/command-run.ts';
import { createSubject } from '../../../support/patch-fixture.ts';

const FILE = 'test/cart.test.js';
const HEAD = "const { test } = require('node:test');\nconst { total } = require('../src/cart.js');\n";
const BASE = {
  'src/cart.js': 'exports.total = (items) => items.length;\n',
  [FILE]: `${HEAD}test('adds up', () => { if (total([1]) !== 1) throw new Error(); });\n`,
};
const PATCH = {
  'src/cart.js': 'exports.total = (items) => items.length + 1;\n',
  [FILE]: `${HEAD}test('adds up', () => { total([1]); });\n`,
};

const named = (outcome: TestResult['outcome']): TestResult[] => [createTestResult('adds up', FILE, outcome)];

function runOf(
  outcome: CompletedCommandRun['outcome'],
  cases: readonly TestResult[] | null,
): CompletedCommandRun {
  const processResult = { cpuMs: 1_000, durationMs: 1_000 } as CompletedCommandRun['processResult'];
  return { outcome, detail: outcome, cases, report: null, processResult };
}
const baseline = (given: Partial<BaselineResult> = {}): BaselineResult => ({
  outcome: 'passed',
  detail: 'exit 0',
  exit_code: 0,
  duration_ms: 1_000,
  findings: [],
  cases: named('passed'),
  isCached: false,
  ...given,
});

interface Scenario {
  readonly timeLeftMs?: number;
  readonly base?: Partial<BaselineResult>;
  readonly cases?: readonly TestResult[] | null;
  readonly hidden?: boolean;
  readonly runTests: (subject: PatchToCheck) => Promise<TreeTestRunner>;
}

/** Base tests fail on the new code, and the patch's tests fail on the old code: an honest changed expectation. */
const honest = async (): Promise<TreeTestRunner> => async () => runOf('failed', named('failed'));
const neverEnds = async (): Promise<TreeTestRunner> => async () => runOf('timed_out', null);

async function compare({ timeLeftMs = 60_000, base, cases = named('passed'), ...given }: Scenario) {
  const subject = await createSubject(BASE, PATCH);
  const runTests = await given.runTests(subject);
  const limits: (number | undefined)[] = [];
  const hiddenTests = given.hidden
    ? [{ path: 'test/hidden.test.js', mode: '100644' as const, content: Buffer.from(BASE[FILE] ?? '') }]
    : null;
  const result = await runExperimentsAgainstBase(
    { subject, task: null, hiddenTests, experimentSettings: null },
    {
      result: { outcome: 'passed', kind: 'executed', findings: [], detail: 'exit 0' },
      run: runOf('passed', cases),
      getBaseline: async () => baseline(base),
      runTests: async (tree, options) => {
        limits.push(options?.limitMs);
        return runTests(tree, options);
      },
      timeLimitMs: 600_000,
      timeLeftMs: () => timeLeftMs,
    },
  );
  return { result, rules: result.findings.map(({ rule }) => rule), limits };
}

describe('evidence that decides', () => {
  test('is made where the suite of the patch leaves no time to the gate', async () => {
    const { result, limits } = await compare({ timeLeftMs: 1, runTests: honest });
    expect(result.outcome).toBe('passed');
    // A minute and ten times what the base takes, whatever the patch makes of it.
    expect(limits).toHaveLength(2);
    for (const limit of limits) expect(limit).toBeGreaterThan(60_000);
    for (const limit of limits) expect(limit).toBeLessThanOrEqual(70_000);
  });

  /** For each required row: how its evidence goes missing. A new row needs a line here. */
  const MISSING: Readonly<Record<string, Scenario>> = {
    hidden_tests: { hidden: true, runTests: neverEnds },
    test_inventory: { base: { outcome: 'timed_out', exit_code: null, cases: null }, runTests: honest },
    base_tests: { runTests: neverEnds },
    patch_tests_on_old_code: {
      runTests: async (subject) => {
        const oldCode = await writeBaseTreeWithPatchTests(subject);
        return async (tree) =>
          tree === oldCode ? runOf('timed_out', null) : runOf('failed', named('failed'));
      },
    },
  };

  test('is named for each required row of the registry, and these run before all others', () => {
    const required = TEST_EXPERIMENTS.filter(({ evidence }) => evidence === 'required');
    expect(required.map(({ id }) => id).toSorted()).toEqual(Object.keys(MISSING).toSorted());
    // The base has one of the gate's time limits too, and so has the patch.
    const runs = required.filter(({ tests }) => tests !== 'none');
    expect(runs.length + 2).toBe(TEST_GATE_TIME_LIMIT_COUNT);
    const kinds = TEST_EXPERIMENTS.map(({ evidence }) => evidence);
    expect(kinds.lastIndexOf('required')).toBeLessThan(kinds.indexOf('optional'));
  });

  test.each(Object.entries(MISSING))('needs review where %s could not be run', async (id, scenario) => {
    const { result, rules } = await compare(scenario);
    if (id === 'hidden_tests')
      expect(result.hiddenTestsResults).toMatchObject([{ outcome: 'could_not_run' }]);
    else {
      expect(result.outcome).toBe('could_not_run');
      expect(rules).toContain('run_comparison_missing');
      expect(result.detail).toContain(id.replaceAll('_', ' '));
    }
  });

  test.each<[string, Scenario]>([
    ['the base is out of memory', { base: { outcome: 'infra_failed', cases: null }, runTests: honest }],
    ['the base names its tests and the patch names none', { cases: null, runTests: honest }],
    [
      'the base tests cannot run on the new code',
      { runTests: async () => async () => runOf('could_not_run', null) },
    ],
  ])('needs review where %s', async (_, scenario) => {
    const { result, rules } = await compare(scenario);
    expect(result.outcome).toBe('could_not_run');
    expect(rules).toContain('run_comparison_missing');
  });

  test.each<[string, Scenario]>([
    [
      'a base that does not build',
      { base: { outcome: 'failed', exit_code: 2, cases: null }, runTests: honest },
    ],
    [
      'tests that neither side names',
      { cases: null, base: { cases: null }, runTests: async () => async () => runOf('passed', null) },
    ],
  ])('is not asked of %s', async (_, scenario) => {
    expect((await compare(scenario)).result.outcome).toBe('passed');
  });
});
