import { randomUUID } from 'node:crypto';
import { runGitInStore } from '../../../workspace/git/git-store.ts';
import { CONFIG_FILE } from '../../core/configuration-file.ts';
import type { FlakyTestSettings } from '../../core/flaky-settings.ts';
import type { GateContext } from '../../core/gate.ts';
import { type CacheEntryKey, computeCacheEntryKey } from '../../core/persistent-cache.ts';
import { computeTestId, type TestResult } from '../../core/test-result.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import type { BaselineResult } from './baseline-result.ts';
import { findInconclusiveComparisonReasons, type TestRunFinding } from './compare-tests.ts';
import { createPatchTestLookup, listChangedTestFiles, type PatchTestLookup } from './patch-tests.ts';
import {
  EMPTY_FLAKY_HISTORY,
  type FlakyHistoryUpdate,
  FlakyTestHistory,
  recordTestRunOutcomes,
  type TestRunOutcomes,
} from './test-history.ts';

/** How long the first commits of a history may be looked for, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * What tells a repository from others: its address where it is known, else its first commits, which all its copies share. Where a copy
 * has only the last ones, the configuration of its gates stands for it.
 */
async function identifyRepository({ subject, repository = null }: GateContext): Promise<string> {
  if (repository !== null) return repository;
  const { store, base } = subject;
  const shallow = await runGitInStore(store, ['rev-parse', '--is-shallow-repository'], {
    timeoutMs: LOOK_MS,
  });
  if (shallow.code === 0 && shallow.stdout.toString().trim() === 'false') {
    const first = await runGitInStore(store, ['rev-list', '--max-parents=0', base], { timeoutMs: LOOK_MS });
    if (first.code === 0) return `commits ${first.stdout.toString().trim().split('\n').sort().join(' ')}`;
  }
  return `configuration ${(await subject.baseFile(CONFIG_FILE)) ?? ''}`;
}

/** One run of the tests on a tree of the patch. */
export interface FlakyCheckInput {
  readonly run: CompletedCommandRun;
  readonly cases: readonly TestResult[];
  readonly findings: readonly TestRunFinding[];
  /** Null: nobody needed to ask the base. */
  readonly baseline: BaselineResult | null;
  readonly isFailFast: boolean;
}

export interface FlakyCheckResult {
  readonly findings: readonly TestRunFinding[];
  /** For the detail. */
  readonly note: string | null;
}

export interface FlakyCheckOptions {
  readonly settings: FlakyTestSettings;
  /** What is run: a line, or a tool with all that belongs to it. */
  readonly commandIdentity: unknown;
  /** Runs the same on the same tree in a fresh checkout. Null: this tree is none of the patch alone, and says nothing new. */
  readonly rerun: (() => Promise<CompletedCommandRun>) | null;
}

/**
 * Excuses the failures of tests in quarantine, reports every quarantined test, and writes down how the tests have fared.
 *
 * Whoever writes a patch could make a test fail now and then to have it excused. So a failure counts only when it happened on the
 * base's own tree, or when the same test passed on the very same tree, and not when the patch touches the test; what is in quarantine
 * is run all the same; and what the patch touches or adds is never excused.
 */
export async function checkFlakyTests(
  context: GateContext,
  { run, cases, findings, baseline, isFailFast }: FlakyCheckInput,
  { settings, commandIdentity, rerun }: FlakyCheckOptions,
): Promise<FlakyCheckResult> {
  const { subject, testHistory = null } = context;
  if (testHistory === null) return { findings, note: 'no history of the tests is kept here' };
  const key = computeCacheEntryKey('history', {
    schema: 2,
    repository: await identifyRepository(context),
    what: commandIdentity,
  });
  const known = FlakyTestHistory.safeParse(await testHistory.get(key)).data ?? EMPTY_FLAKY_HISTORY;
  const written = createPatchTestLookup(await listChangedTestFiles(subject));
  const failures = findings.filter((each) => each.severity === 'error' && each.testCase !== null);
  const passedAgain =
    rerun && failures.length > 0 ? collectPassedIds((await rerun()).cases ?? []) : new Set<string>();
  const judge = { known, base: baseline, written, passedAgain };
  const judged = findings.map((each) => judgeFailure(each, judge));
  const excused = judged.filter(({ rule }) => rule === QUARANTINED).length > 0;
  const doubts =
    excused && baseline && !findings.some(({ severity }) => severity === 'existing')
      ? findInconclusiveComparisonReasons({ run, baseline, patchTests: written, isFailFast })
      : [];
  const all = [...judged, ...doubts, ...listQuarantined(known, cases, judged)];
  if (!rerun) return { findings: all, note: null };
  const observed = observations(context, { cases, failures, base: baseline, written, passedAgain });
  return { findings: [...all, ...(await saveHistory(testHistory, key, observed, settings))], note: null };
}

const QUARANTINED = 'flaky_quarantined';

interface FailureContext {
  readonly known: FlakyTestHistory;
  readonly base: BaselineResult | null;
  readonly written: PatchTestLookup;
  readonly passedAgain: ReadonlySet<string>;
}

function judgeFailure(
  each: TestRunFinding,
  { known, base, written, passedAgain }: FailureContext,
): TestRunFinding {
  const { testCase: test, message } = each;
  if (each.severity !== 'error' || test === null) return each;
  const id = computeTestId(test);
  const repeated = passedAgain.has(id)
    ? `${message}; it passed when it was run again on the same tree`
    : message;
  const since = known.tests[id]?.quarantined ?? null;
  if (since === null) return { ...each, message: repeated };
  if (written.isInTouchedFile(test) || !(base?.cases ?? []).some((other) => computeTestId(other) === id))
    return {
      ...each,
      message: `${repeated}; it is in quarantine, which does not count for tests that the patch touches or adds`,
    };
  const { baseline: _, ...rest } = each;
  return {
    ...rest,
    rule: QUARANTINED,
    message: `${repeated}; in quarantine since ${since.slice(0, 10)} because it fails now and then, so this does not fail the patch`,
    severity: 'info',
  };
}

/** Quarantined tests that did not fail are reported all the same: they must not be forgotten. */
function listQuarantined(
  known: FlakyTestHistory,
  cases: readonly TestResult[],
  judged: readonly TestRunFinding[],
): TestRunFinding[] {
  const said = new Set(judged.flatMap(({ testCase: test }) => (test ? [computeTestId(test)] : [])));
  const now = new Map(cases.map((test) => [computeTestId(test), test]));
  return Object.entries(known.tests).flatMap(([id, { quarantined }]): TestRunFinding[] => {
    if (quarantined === null || said.has(id)) return [];
    const outcome = now.get(id)?.outcome ?? null;
    const how = outcome === null ? 'was not run' : outcome === 'skipped' ? 'was skipped' : outcome;
    return [
      createFlakyFinding(
        id,
        QUARANTINED,
        `${how}; in quarantine since ${quarantined.slice(0, 10)} because it fails now and then`,
      ),
    ];
  });
}

function createFlakyFinding(id: string, rule: string, said: string): TestRunFinding {
  const [file, name] = JSON.parse(id) as [string | null, string];
  const message = `${name}: ${said}`;
  return { file, line: null, rule, test: name, message, severity: 'info', testCase: null };
}

const collectPassedIds = (cases: readonly TestResult[]): Set<string> => {
  const failed = new Set(cases.filter(({ outcome }) => outcome === 'failed').map(computeTestId));
  const passed = cases.filter(({ outcome }) => outcome === 'passed').map(computeTestId);
  return new Set(passed.filter((id) => !failed.has(id)));
};

interface ObservedTests {
  readonly cases: readonly TestResult[];
  readonly failures: readonly TestRunFinding[];
  readonly base: BaselineResult | null;
  readonly written: PatchTestLookup;
  readonly passedAgain: ReadonlySet<string>;
}

function observations(
  { subject, task = null }: GateContext,
  { cases, failures, base, written, passedAgain }: ObservedTests,
): TestRunOutcomes[] {
  const at = new Date().toISOString();
  const source = task === null ? 'local' : `task:${task.id}`;
  const onBase = `base:${subject.base}`;
  const own = failures.flatMap(({ testCase: test }) =>
    test && passedAgain.has(computeTestId(test)) && !written.isInTouchedFile(test)
      ? [computeTestId(test)]
      : [],
  );
  return [
    // What was looked up has been written down when it was run.
    ...(base && !base.isCached && base.cases
      ? [
          {
            id: onBase,
            at,
            source: onBase,
            tree: subject.base,
            passed: collectPassedIds(base.cases),
            failed: new Set(base.cases.filter(({ outcome }) => outcome === 'failed').map(computeTestId)),
          },
        ]
      : []),
    {
      id: `${source} ${randomUUID()}`,
      at,
      source,
      tree: subject.tree,
      passed: collectPassedIds(cases),
      failed: new Set(own),
    },
  ];
}

async function saveHistory(
  history: NonNullable<GateContext['testHistory']>,
  key: CacheEntryKey,
  observed: readonly TestRunOutcomes[],
  settings: FlakyTestSettings,
): Promise<TestRunFinding[]> {
  let steps: FlakyHistoryUpdate[] = [];
  await history.update(key, (value) => {
    // Called again when somebody else has written in between: what counts is the last time.
    steps = [];
    let now = FlakyTestHistory.safeParse(value).data ?? EMPTY_FLAKY_HISTORY;
    for (const each of observed) {
      const step = recordTestRunOutcomes(now, each, settings);
      now = step.history;
      steps.push(step);
    }
    return now;
  });
  return steps.flatMap(({ newlyQuarantined, released }) => [
    ...newlyQuarantined.map((id) =>
      createFlakyFinding(
        id,
        'flaky_found',
        'fails now and then; from now on it is in quarantine: it is run and reported, and fails no patch',
      ),
    ),
    ...released.map((id) =>
      createFlakyFinding(id, 'flaky_released', 'has passed for long enough and leaves quarantine'),
    ),
  ]);
}
