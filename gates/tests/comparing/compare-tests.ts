import { BaselineOccurrences } from '../../code/parsing/baseline-occurrences.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { computeTestId, type TestResult } from '../../core/test-result.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import type { BaselineResult } from './baseline-result.ts';
import type { PatchTestLookup } from './patch-tests.ts';

/** A run of the tests that did not end well, and what the base says. */
export interface TestComparisonInput {
  readonly run: CompletedCommandRun;
  readonly baseline: BaselineResult;
  readonly patchTests: PatchTestLookup;
  /** Whether the runner stops at its first failure. */
  readonly isFailFast: boolean;
}

/** Complaints of a test run with what each weighs, and the test that it is about where it is about one. */
export interface TestRunFinding extends GateFinding {
  readonly testCase: TestResult | null;
}

/**
 * Tells new failures of tests from those that the base has too, test by test. A failure is old only when the base has run the same
 * test and it failed there, when the patch has not written it, and when everything else that passed there was run again: whoever
 * makes a run end early must not get away with the old failures only.
 */
export function findNewTestFailures({
  run,
  baseline: base,
  patchTests,
  isFailFast,
}: TestComparisonInput): TestRunFinding[] {
  const complaints = run.report?.findings ?? [];
  const cases = run.cases ?? [];
  const failedCases = new Map(
    cases.flatMap((test) => (test.outcome === 'failed' ? [[computeTestId(test), test] as const] : [])),
  );
  const old = new BaselineOccurrences();
  for (const complaint of base.findings ?? []) {
    const key = patchKeyOf(complaint.key, patchTests);
    if (key !== null) old.add(key);
  }
  const seen = complaints.map(({ key, ...finding }): TestRunFinding => {
    const testCase = failedCases.get(key) ?? null;
    if (!old.takeOne(key)) return { ...finding, severity: 'error', baseline: 'new', testCase };
    if (testCase && patchTests.isWrittenByPatch(testCase))
      return {
        ...finding,
        message: `${finding.message}; a test of this name fails on the base too, but the patch wrote this one`,
        severity: 'error',
        baseline: 'new',
        testCase,
      };
    if (finding.rule === 'some_tests_failed')
      return {
        ...finding,
        message: `${finding.message}; some fail on the base too, nobody can tell which`,
        severity: 'warning',
        testCase,
      };
    return { ...finding, severity: 'existing', testCase };
  });
  const lost = run.outcome === 'failed' ? findRemovedPassingTests(cases, base, patchTests) : [];
  const doubts = seen.some(({ severity }) => severity === 'existing')
    ? findInconclusiveComparisonReasons({ run, baseline: base, patchTests, isFailFast })
    : [];
  return [...seen, ...lost, ...doubts];
}

/** What passed on the base and is not run any more. */
export function findRemovedPassingTests(
  cases: readonly TestResult[],
  base: BaselineResult,
  written: PatchTestLookup,
): TestRunFinding[] {
  const left = (isSkipped: boolean): BaselineOccurrences =>
    new BaselineOccurrences(
      cases.filter(({ outcome }) => (outcome === 'skipped') === isSkipped).map(computeTestId),
    );
  const [run, out] = [left(false), left(true)];
  // Of two of one name that differ, the failed one is looked for first: then the other is missing.
  const before = (base.cases ?? []).filter(({ outcome }) => outcome !== 'skipped');
  const ordered = [
    ...before.filter(({ outcome }) => outcome === 'failed'),
    ...before.filter(({ outcome }) => outcome === 'passed'),
  ];
  return ordered.flatMap((test): TestRunFinding[] => {
    const expected = written.mapToPatch(test);
    if (expected === null) return [];
    if (run.takeOne(computeTestId(expected)) || test.outcome === 'failed') return [];
    const skipped = out.takeOne(computeTestId(expected));
    return [
      {
        file: expected.file,
        line: null,
        rule: skipped ? 'test_skipped' : 'test_missing',
        test: expected.name,
        message: `${expected.name}: passes on the base, and ${skipped ? 'is skipped' : 'was not run'} with the patch`,
        severity: 'error',
        baseline: 'new',
        testCase: null,
      },
    ];
  });
}

/** What keeps anybody from saying that only old failures are left. */
export function findInconclusiveComparisonReasons({
  run,
  baseline,
  patchTests,
  isFailFast,
}: TestComparisonInput): TestRunFinding[] {
  const doubt = (rule: string, message: string, file: string | null = null): TestRunFinding => ({
    file,
    line: null,
    rule,
    message,
    severity: 'warning',
    testCase: null,
  });
  const doubts: TestRunFinding[] = patchTests
    .filesMissingFrom(run.cases ?? [])
    .map((file) => doubt('test_not_run', 'the patch wrote tests here, and none of them was run', file));
  for (const file of patchTests.filesReferencingReport)
    doubts.push(
      doubt(
        'report_named',
        'the patch names the report of the tests, which has to be believed where the base fails',
        file,
      ),
    );
  if (isFailFast)
    doubts.push(
      doubt(
        'stopped_early',
        'the tests stop at the first failure, and the base fails too: nobody knows about the rest',
      ),
    );
  const code = run.processResult.exitCode;
  const failed = (run.cases ?? []).filter(({ outcome }) => outcome === 'failed').length;
  // Some runners count their failures in the exit code.
  if (code !== baseline.exit_code && code !== 1 && code !== 0 && code !== failed)
    doubts.push(
      doubt(
        'other_exit_code',
        `exit ${code}, and on the base exit ${baseline.exit_code}: something else happened too`,
      ),
    );
  return doubts;
}

/** The key of a complaint of the base, as the patch would have it where it only moved a file. */
function patchKeyOf(key: string, written: PatchTestLookup): string | null {
  try {
    const [file, name] = JSON.parse(key) as [string | null, string];
    const expected = written.mapToPatch({ file, name, outcome: 'failed', duration_ms: null });
    return expected === null ? key : computeTestId(expected);
  } catch {
    return key;
  }
}
