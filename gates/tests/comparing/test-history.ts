import * as z from 'zod';
import type { FlakySettings } from '../../core/flaky-settings.ts';
import { shouldQuarantine, shouldReleaseFromQuarantine, type TestRunRecord } from './flakiness-score.ts';

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
export type TestHistory = z.infer<typeof Test>;

/** How the tests of one command of one repository have fared. Of tests that never failed nothing is kept. */
export const FlakyTestHistory = z.strictObject({
  schema_version: z.literal(1),
  runs: z.array(Run),
  tests: z.record(z.string(), Test),
});
export type FlakyTestHistory = z.infer<typeof FlakyTestHistory>;

export const EMPTY_FLAKY_HISTORY: FlakyTestHistory = { schema_version: 1, runs: [], tests: {} };

/** What one run says about tests; see `testId`. */
export interface TestObservation extends z.infer<typeof Run> {
  readonly passed: ReadonlySet<string>;
  /** Failures that are known to be the test's own doing. */
  readonly failed: ReadonlySet<string>;
}

export interface RecordedObservation {
  readonly history: FlakyTestHistory;
  /** Tests that came into quarantine, and that left it, with this run. */
  readonly newlyQuarantined: readonly string[];
  readonly released: readonly string[];
}

/** Adds a run. One that is known already, by its id, changes nothing. */
export function recordObservation(
  history: FlakyTestHistory,
  run: TestObservation,
  settings: FlakySettings,
): RecordedObservation {
  if (history.runs.some(({ id }) => id === run.id)) return { history, newlyQuarantined: [], released: [] };
  const { id, at, source, tree } = run;
  const runs = [...history.runs, { id, at, source, tree }].slice(-MAX_RUNS);
  const kept = new Set(runs.map((each) => each.id));
  const now = Date.parse(at);
  const entered: string[] = [];
  const released: string[] = [];
  const tests: [string, TestHistory][] = [];
  for (const name of new Set([...Object.keys(history.tests), ...run.failed])) {
    const before = history.tests[name] ?? { failed: [], silent: [], quarantined: null };
    const failed = run.failed.has(name);
    const silent = !failed && !run.passed.has(name);
    const test: TestHistory = {
      failed: [...before.failed, ...(failed ? [id] : [])].filter((each) => kept.has(each)),
      silent: [...before.silent, ...(silent ? [id] : [])].filter((each) => kept.has(each)),
      quarantined: before.quarantined,
    };
    const fared = listTestRuns({ runs }, test);
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
export function listTestRuns(
  { runs }: Pick<FlakyTestHistory, 'runs'>,
  { failed, silent }: TestHistory,
): TestRunRecord[] {
  return runs.flatMap(({ id, at, source }) =>
    silent.includes(id) ? [] : [{ failed: failed.includes(id), at: Date.parse(at), source }],
  );
}

function bounded(tests: [string, TestHistory][], runs: FlakyTestHistory['runs']): [string, TestHistory][] {
  if (tests.length <= MAX_TESTS) return tests;
  const order = new Map(runs.map(({ id }, at) => [id, at]));
  const last = ({ failed }: TestHistory): number => order.get(failed.at(-1) ?? '') ?? -1;
  return tests.toSorted(([, a], [, b]) => last(b) - last(a)).slice(0, MAX_TESTS);
}
