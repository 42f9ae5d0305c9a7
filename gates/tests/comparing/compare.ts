import { ThereBefore } from '../../code/parsing/there-before.ts';
import type { Seen } from '../../core/seen.ts';
import { type TestResult, testId } from '../../core/test-result.ts';
import type { Execution } from '../running/execution.ts';
import type { BaseAnswer } from './answer.ts';
import type { WrittenTests } from './written.ts';

/** A run of the tests that did not end well, and what the base says. */
export interface Comparison {
  readonly run: Execution;
  readonly base: BaseAnswer;
  readonly written: WrittenTests;
  /** Whether the runner stops at its first failure. */
  readonly failsFast: boolean;
}

/** Complaints of a test run with what each weighs, and the test that it is about where it is about one. */
export interface SeenTest extends Seen {
  readonly testCase: TestResult | null;
}

/**
 * Tells new failures of tests from those that the base has too, test by test. A failure is old only when the base has run the same
 * test and it failed there, when the patch has not written it, and when everything else that passed there was run again: whoever
 * makes a run end early must not get away with the old failures only.
 */
export function compareTests({ run, base, written, failsFast }: Comparison): SeenTest[] {
  const complaints = run.report?.complaints ?? [];
  const cases = run.cases ?? [];
  const failedCases = new Map(
    cases.flatMap((test) => (test.outcome === 'failed' ? [[testId(test), test] as const] : [])),
  );
  const old = new ThereBefore();
  for (const complaint of base.complaints ?? []) {
    const key = keyIn(complaint.key, written);
    if (key !== null) old.add(key);
  }
  const seen = complaints.map(({ key, ...finding }): SeenTest => {
    const testCase = failedCases.get(key) ?? null;
    if (!old.take(key)) return { ...finding, weight: 'fails', baseline: 'new', testCase };
    if (testCase && written.isOwn(testCase))
      return {
        ...finding,
        message: `${finding.message}; a test of this name fails on the base too, but the patch wrote this one`,
        weight: 'fails',
        baseline: 'new',
        testCase,
      };
    if (finding.rule === 'some_tests_failed')
      return {
        ...finding,
        message: `${finding.message}; some fail on the base too, nobody can tell which`,
        weight: 'unclear',
        testCase,
      };
    return { ...finding, weight: 'before', testCase };
  });
  const lost = run.outcome === 'failed' ? lostTests(cases, base, written) : [];
  const doubts = seen.some(({ weight }) => weight === 'before')
    ? doubtsOf({ run, base, written, failsFast })
    : [];
  return [...seen, ...lost, ...doubts];
}

/** What passed on the base and is not run any more. */
export function lostTests(cases: readonly TestResult[], base: BaseAnswer, written: WrittenTests): SeenTest[] {
  const left = (isSkipped: boolean): ThereBefore =>
    new ThereBefore(cases.filter(({ outcome }) => (outcome === 'skipped') === isSkipped).map(testId));
  const [run, out] = [left(false), left(true)];
  // Of two of one name that differ, the failed one is looked for first: then the other is missing.
  const before = (base.cases ?? []).filter(({ outcome }) => outcome !== 'skipped');
  const ordered = [
    ...before.filter(({ outcome }) => outcome === 'failed'),
    ...before.filter(({ outcome }) => outcome === 'passed'),
  ];
  return ordered.flatMap((test): SeenTest[] => {
    const expected = written.expected(test);
    if (expected === null) return [];
    if (run.take(testId(expected)) || test.outcome === 'failed') return [];
    const skipped = out.take(testId(expected));
    return [
      {
        file: expected.file,
        line: null,
        rule: skipped ? 'test_skipped' : 'test_missing',
        test: expected.name,
        message: `${expected.name}: passes on the base, and ${skipped ? 'is skipped' : 'was not run'} with the patch`,
        weight: 'fails',
        baseline: 'new',
        testCase: null,
      },
    ];
  });
}

/** What keeps anybody from saying that only old failures are left. */
export function doubtsOf({ run, base, written, failsFast }: Comparison): SeenTest[] {
  const doubt = (rule: string, message: string, file: string | null = null): SeenTest => ({
    file,
    line: null,
    rule,
    message,
    weight: 'unclear',
    testCase: null,
  });
  const doubts: SeenTest[] = written
    .notIn(run.cases ?? [])
    .map((file) => doubt('test_not_run', 'the patch wrote tests here, and none of them was run', file));
  for (const file of written.namingReports)
    doubts.push(
      doubt(
        'report_named',
        'the patch names the report of the tests, which has to be believed where the base fails',
        file,
      ),
    );
  if (failsFast)
    doubts.push(
      doubt(
        'stopped_early',
        'the tests stop at the first failure, and the base fails too: nobody knows about the rest',
      ),
    );
  const code = run.ran.exitCode;
  const failed = (run.cases ?? []).filter(({ outcome }) => outcome === 'failed').length;
  // Some runners count their failures in the exit code.
  if (code !== base.exit_code && code !== 1 && code !== 0 && code !== failed)
    doubts.push(
      doubt(
        'other_exit_code',
        `exit ${code}, and on the base exit ${base.exit_code}: something else happened too`,
      ),
    );
  return doubts;
}

/** The key of a complaint of the base, as the patch would have it where it only moved a file. */
function keyIn(key: string, written: WrittenTests): string | null {
  try {
    const [file, name] = JSON.parse(key) as [string | null, string];
    const expected = written.expected({ file, name, outcome: 'failed', duration_ms: null });
    return expected === null ? key : testId(expected);
  } catch {
    return key;
  }
}
