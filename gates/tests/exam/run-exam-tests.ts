import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { isTestFile } from '../../code/test-reachability.ts';
import type { HiddenTestFiles } from '../../core/hidden-tests-result.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { isPossibleTestSourceName, type TestResult } from '../../core/test-result.ts';
import { addTestReporter } from '../running/add-test-reporter.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import { runCommandLine } from '../running/run-command-line.ts';

/** Tests of somebody else than the patch's author: files, the command that runs them, and the tests that count. */
export interface ExamTests {
  readonly files: HiddenTestFiles;
  readonly command: string;
  readonly tests: readonly string[];
}

/**
 * State of one test in one run. `not_loaded`: the run failed before any test of its file ran. `not_reported`: tests ran, and this
 * one is not among them.
 */
export type ObservedState =
  | 'passed'
  | 'failed'
  | 'skipped'
  | 'not_loaded'
  | 'not_reported'
  | 'timed_out'
  | 'could_not_run';

export interface ObservedTest {
  readonly state: ObservedState;
  /** Message of a failure, for the adjudicator only; null: there is none. */
  readonly failure: string | null;
}

export type ExamSubject = Pick<PatchToCheck, 'sandboxes' | 'baseFile' | 'base'>;

/**
 * Runs tests on a tree in a private sandbox. The result follows the order of `tests`.
 * @param limitMs time limit of one run in milliseconds
 */
export async function runExamTests(
  subject: ExamSubject,
  exam: ExamTests,
  tree: string,
  limitMs: number,
): Promise<ObservedTest[]> {
  const whole = await runOnPrivateTree(subject, exam.files, exam.command, tree, limitMs);
  const seen = exam.tests.map((test) => observeTest(test, whole));
  if (whole?.outcome !== 'failed' || seen.every((each) => each !== null))
    return seen.map((each) => each ?? unseen(whole));
  // One file that does not compile keeps the others from running where a runner builds all of them first.
  let isPartNotLoaded = !seen.some((each) => each !== null) && !hasLoadedFile(whole, exam.files);
  for (const { files, command } of listPartialRuns(exam)) {
    const part = await runOnPrivateTree(subject, files, command, tree, limitMs);
    const found = exam.tests.map((test) => observeTest(test, part));
    isPartNotLoaded ||= !found.some((each) => each !== null) && !hasLoadedFile(part, files);
    found.forEach((each, index) => {
      seen[index] ??= each;
    });
  }
  return seen.map(
    (each) => each ?? { state: isPartNotLoaded ? 'not_loaded' : 'not_reported', failure: null },
  );
}

const UNSEEN_STATES: Partial<Record<CheckOutcome, ObservedState>> = {
  timed_out: 'timed_out',
  failed: 'not_loaded',
  passed: 'not_reported',
};

const unseen = (run: CompletedCommandRun | null): ObservedTest => ({
  state: (run && UNSEEN_STATES[run.outcome]) ?? 'could_not_run',
  failure: null,
});

const normalizePath = (text: string): string =>
  text.replace(/\.[cm]?[a-z]{1,4}$/, '').replaceAll(/[^A-Za-z0-9]+/g, '/');

/**
 * Tells whether a run reports a test of one of these files. A test that is named like its file is none: so runners report a file that
 * they could not load.
 */
const hasLoadedFile = (run: CompletedCommandRun | null, files: HiddenTestFiles): boolean =>
  (run?.cases ?? []).some(
    ({ file, name }) =>
      file !== null &&
      files.some(({ path }) => path === file && !normalizePath(path).endsWith(normalizePath(name))),
  );

/** Returns the state of a test in a run, or null when the run does not report it. */
function observeTest(test: string, run: CompletedCommandRun | null): ObservedTest | null {
  // A run that does not count says nothing of its tests: it ran other code, or outside of its sandbox.
  const isVoid = run?.outcome === 'could_not_run' || run?.outcome === 'infra_failed';
  const all = (isVoid ? [] : (run?.cases ?? [])).filter(({ name }) => isPossibleTestSourceName(name, test));
  const exact = all.filter(({ name }) => name === test);
  const cases = exact.length > 0 ? exact : all;
  if (cases.length === 0) return null;
  const has = (outcome: TestResult['outcome']): boolean => cases.some((each) => each.outcome === outcome);
  const names = new Set(cases.map(({ name }) => name));
  const failure = run?.report?.findings.find((finding) => names.has(finding.test ?? ''))?.message ?? null;
  return { state: has('failed') ? 'failed' : has('passed') ? 'passed' : 'skipped', failure };
}

/** Runs a command on a tree with the files laid over it. Null: the run broke; its error may name a hidden file. */
function runOnPrivateTree(
  subject: ExamSubject,
  files: HiddenTestFiles,
  command: string,
  tree: string,
  limitMs: number,
): Promise<CompletedCommandRun | null> {
  const { sandboxes } = subject;
  return sandboxes
    .withPrivateTree(
      (store) =>
        editTree(
          store,
          tree,
          files.map(({ path, mode, content }) => ({ path, entry: { id: writeBlob(store, content), mode } })),
        ),
      async (made) =>
        runCommandLine(
          await sandboxes.createSandbox(made),
          await addTestReporter(subject, withVerboseUnittest(command)),
          limitMs,
        ),
    )
    .catch(() => null);
}

/** A quiet unittest names no tests. */
const withVerboseUnittest = (command: string): string =>
  /\bunittest\b/.test(command) ? command.replace(/\s(?:-q|--quiet)(?=\s|$)/g, '') : command;

const CARGO_TARGET = /\s--test(?:\s+|=)(\S+)/g;

/** Splits tests into runs that can be loaded alone: one per target of cargo, else one per test file. */
function listPartialRuns({ files, command }: ExamTests): Pick<ExamTests, 'files' | 'command'>[] {
  const targets = /\bcargo\b/.test(command) ? [...command.matchAll(CARGO_TARGET)] : [];
  if (targets.length > 1)
    return targets.map(([own]) => ({
      files,
      command: command.replace(CARGO_TARGET, (each) => (each === own ? each : '')),
    }));
  const tests = files.filter(({ path }) => isTestFile(path));
  if (tests.length < 2) return [];
  return tests.map((own) => ({
    files: files.filter((file) => file === own || !tests.includes(file)),
    command,
  }));
}
