import * as z from 'zod';
import type { FlakyTestSettings } from '../../core/flaky-settings.ts';

/** One run of one test. */
export interface TestCaseRunRecord {
  readonly failed: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The task or the base commit that it was run for. */
  readonly source: string;
}

/** Runs of this age and less count twice, in milliseconds. */
const RECENT_MS = 7 * 24 * 3_600_000;
const RECENT_WEIGHT = 2;
/** What decides on the end of a quarantine. */
const RELEASE_RUNS = 20;
const RELEASE_SCORE = 0.02;

/** Share of failures among runs, by weight, between 0 and 1; 0 for no runs. */
export function computeFlakinessScore(runs: readonly TestCaseRunRecord[], now: number): number {
  let all = 0;
  let failed = 0;
  for (const run of runs) {
    const weight = now - run.at <= RECENT_MS ? RECENT_WEIGHT : 1;
    all += weight;
    if (run.failed) failed += weight;
  }
  return all === 0 ? 0 : failed / all;
}

/** Whether a test passes and fails often enough to be called flaky. */
export const isFlaky = (
  runs: readonly TestCaseRunRecord[],
  now: number,
  { minRuns, threshold }: FlakyTestSettings,
): boolean =>
  runs.length >= minRuns &&
  runs.some(({ failed }) => failed) &&
  runs.some(({ failed }) => !failed) &&
  computeFlakinessScore(runs, now) >= threshold;

/**
 * Whether a test is to be quarantined: it is flaky, and is so without any single one of the sources of its failures. So no task can
 * bring that about alone, and none ever counts for itself.
 */
export function shouldQuarantine(
  runs: readonly TestCaseRunRecord[],
  now: number,
  settings: FlakyTestSettings,
): boolean {
  const sources = new Set(runs.flatMap(({ failed, source }) => (failed ? [source] : [])));
  return (
    sources.size > 1 &&
    [null, ...sources].every((without) =>
      isFlaky(
        runs.filter(({ source }) => source !== without),
        now,
        settings,
      ),
    )
  );
}

/** Whether a quarantined test has been good for long enough. */
export function shouldReleaseFromQuarantine(runs: readonly TestCaseRunRecord[], now: number): boolean {
  const last = runs.slice(-RELEASE_RUNS);
  return last.length === RELEASE_RUNS && computeFlakinessScore(last, now) <= RELEASE_SCORE;
}

/** Runs that are kept of one command; the oldest go first. */
const MAX_RUNS = 50;
/** Tests that are kept; those whose last failure is oldest go first. */
const MAX_TESTS = 500;

const Run = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  /** `task:<id>`, `base:<commit>`, or `local`. */
  source: z.string(),
  tree: z.string(),
});

const Test = z.strictObject({
  /** Runs in which it failed, by id. */
  failed: z.array(z.string()),
  /** Runs that say nothing about it: it was not run, or nobody can tell whose failure it was. It passed in all others. */
  silent: z.array(z.string()),
  /** Since when it is in quarantine. */
  quarantined: z.iso.datetime().nullable(),
});
export type TestFailureHistory = z.infer<typeof Test>;

/** How the tests of one command of one repository have fared. Of tests that never failed nothing is kept. */
export const FlakyTestHistory = z.strictObject({
  schema_version: z.literal(1),
  runs: z.array(Run),
  tests: z.record(z.string(), Test),
});
export type FlakyTestHistory = z.infer<typeof FlakyTestHistory>;

export const EMPTY_FLAKY_HISTORY: FlakyTestHistory = { schema_version: 1, runs: [], tests: {} };

/** Results of tests in one run; see `computeTestId`. */
export interface TestRunOutcomes extends z.infer<typeof Run> {
  readonly passed: ReadonlySet<string>;
  /** Failures that are known to be the test's own doing. */
  readonly failed: ReadonlySet<string>;
}

export interface FlakyHistoryUpdate {
  readonly history: FlakyTestHistory;
  /** Tests that came into quarantine, and that left it, with this run. */
  readonly newlyQuarantined: readonly string[];
  readonly released: readonly string[];
}

/** Adds a run. One that is known already, by its id, changes nothing. */
export function recordTestRunOutcomes(
  history: FlakyTestHistory,
  run: TestRunOutcomes,
  settings: FlakyTestSettings,
): FlakyHistoryUpdate {
  if (history.runs.some(({ id }) => id === run.id)) return { history, newlyQuarantined: [], released: [] };
  const { id, at, source, tree } = run;
  const runs = [...history.runs, { id, at, source, tree }].slice(-MAX_RUNS);
  const kept = new Set(runs.map((each) => each.id));
  const now = Date.parse(at);
  const entered: string[] = [];
  const released: string[] = [];
  const tests: [string, TestFailureHistory][] = [];
  for (const name of new Set([...Object.keys(history.tests), ...run.failed])) {
    const before = history.tests[name] ?? { failed: [], silent: [], quarantined: null };
    const failed = run.failed.has(name);
    const silent = !failed && !run.passed.has(name);
    const test: TestFailureHistory = {
      failed: [...before.failed, ...(failed ? [id] : [])].filter((each) => kept.has(each)),
      silent: [...before.silent, ...(silent ? [id] : [])].filter((each) => kept.has(each)),
      quarantined: before.quarantined,
    };
    const fared = listRunsOfTest({ runs }, test);
    if (test.quarantined === null && shouldQuarantine(fared, now, settings)) {
      test.quarantined = at;
      entered.push(name);
    } else if (test.quarantined !== null && shouldReleaseFromQuarantine(fared, now)) {
      test.quarantined = null;
      released.push(name);
    }
    if (test.failed.length > 0 || test.quarantined !== null) tests.push([name, test]);
  }
  return {
    history: { schema_version: 1, runs, tests: Object.fromEntries(bounded(tests, runs)) },
    newlyQuarantined: entered,
    released,
  };
}

/** The runs of one test, oldest first. */
export function listRunsOfTest(
  { runs }: Pick<FlakyTestHistory, 'runs'>,
  { failed, silent }: TestFailureHistory,
): TestCaseRunRecord[] {
  return runs.flatMap(({ id, at, source }) =>
    silent.includes(id) ? [] : [{ failed: failed.includes(id), at: Date.parse(at), source }],
  );
}

function bounded(
  tests: [string, TestFailureHistory][],
  runs: FlakyTestHistory['runs'],
): [string, TestFailureHistory][] {
  if (tests.length <= MAX_TESTS) return tests;
  const order = new Map(runs.map(({ id }, at) => [id, at]));
  const last = ({ failed }: TestFailureHistory): number => order.get(failed.at(-1) ?? '') ?? -1;
  return tests.toSorted(([, a], [, b]) => last(b) - last(a)).slice(0, MAX_TESTS);
}
