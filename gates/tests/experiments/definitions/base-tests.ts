import type { GateFinding } from '../../../core/gate-finding.ts';
import {
  computeTestId,
  indexTestResultsById,
  selectTestIdsByOutcome,
  type TestResult,
} from '../../../core/test-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import {
  type BaseFailureAssessment,
  type BaseTestFailure,
  createExperimentFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  getLostTestCoverageSeverity,
  type TestExperiment,
  type TreeTestRunner,
} from '../engine/experiment.ts';
import type { FindingCause } from '../engine/finding-causes.ts';
import { requireCompletedRun, runUntilEvidenceIsMissing } from '../engine/test-runners.ts';
import { findRemovedTestSubject, listChangedBaseTests } from '../sources/test-source-index.ts';
import type { ChangedBaseTestFiles } from '../trees/changed-tests.ts';
import {
  findTestResultOfSource,
  runTransplantedTests,
  type TestResultOnTree,
} from '../trees/transplant-case.ts';

/** Most files that are run one by one when they cannot run together. */
const MAX_SINGLE_FILES = 8;

/** Runs the base version of every changed test on the new code. */
export const baseTestsExperiment: TestExperiment = {
  id: 'base_tests',
  evidence: 'required',
  tree: 'patch',
  tests: 'base_version',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: ({ inventory }) => inventory.changedTests !== null,
  run: async (context) => {
    const { changedTests } = context.inventory;
    return changedTests === null ? EMPTY_EXPERIMENT_RESULT : runBaseTests(changedTests, context);
  },
};

async function runBaseTests(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): Promise<ExperimentResult> {
  const tree = await changed.baseTestsOnNewCode();
  const runTests: TreeTestRunner = async (...asked) => requireCompletedRun(await context.runTests(...asked));
  const run = await runTests(tree);
  if (run.outcome === 'passed') return EMPTY_EXPERIMENT_RESULT;
  const runs: Run[] = [{ tree, cases: run.cases }];
  let transplanted: readonly TestResultOnTree[] = [];
  const reason = await runUntilEvidenceIsMissing(async () => {
    for await (const each of runFilesSeparately(changed, run, runTests)) runs.push(each);
    transplanted = await runCasesSeparately(changed, runs, { ...context, runTests });
  });
  const missing = reason === null ? {} : { missing: reason };
  if (run.cases === null && transplanted.length === 0)
    return { findings: await findingsWithoutNames(changed, run, context), facts: {}, ...missing };
  const failed = [
    ...runs.flatMap((each) => (each.cases ?? []).map((test) => ({ test, tree: each.tree }))),
    ...transplanted,
  ].filter(({ test }) => test.outcome === 'failed');
  const isLoaded = (path: string): boolean =>
    runs.some(({ cases }) => (cases ?? []).some(({ file }) => file === path)) ||
    transplanted.some(({ test }) => test.file === path);
  const reportsFiles = (run.cases ?? []).every(({ file }) => file !== null);
  const notLoaded =
    changed.baseTestFiles.length > 1 && reportsFiles
      ? changed.baseTestFiles.filter((path) => !isLoaded(path))
      : [];
  return {
    findings: notLoaded.map((path) => note(path, { rule: 'run_old_test_not_loaded' })),
    facts: transplanted.length === 0 ? {} : { transplanted_cases: transplanted.length },
    failures: judgeFailures(uniqueFailures(failed), context),
    ...missing,
  };
}

interface Run extends Pick<CompletedCommandRun, 'cases'> {
  readonly tree: string;
}

/** Runs each file by itself that was not loaded: it must not drop the rest. */
async function* runFilesSeparately(
  changed: ChangedBaseTestFiles,
  { cases }: CompletedCommandRun,
  runTests: TreeTestRunner,
): AsyncGenerator<Run> {
  const files = changed.baseTestFiles;
  if (cases === null || files.length < 2 || cases.some(({ file }) => file === null)) return;
  const notLoaded = files.filter((path) => !cases.some(({ file }) => file === path));
  for (const path of notLoaded.slice(0, MAX_SINGLE_FILES)) {
    const tree = await changed.baseTestsOnNewCode([path]);
    yield { tree, cases: (await runTests(tree)).cases };
  }
}

/** Puts changed cases of files that cannot be loaded with the new code into the new version of their file. */
async function runCasesSeparately(
  changed: ChangedBaseTestFiles,
  runs: readonly Run[],
  context: ExperimentInput,
): Promise<TestResultOnTree[]> {
  const { sources, diff } = context.inventory;
  if (context.run.cases === null) return [];
  const lost = new Set(diff.lost.map(({ test }) => sources.inBase(test)));
  const wanted = listChangedBaseTests(sources, changed.baseTestFiles).filter(
    (each) => !lost.has(each) && runs.every((run) => findTestResultOfSource(run, each) === null),
  );
  return [...(await runTransplantedTests('patch', wanted, { ...context, sources })).values()];
}

const note = (file: string | null, cause: FindingCause): GateFinding =>
  createExperimentFinding({ file, severity: 'info', cause });

/** Where no report names tests, any of a file may be the one that fails: what is deleted or checks less decides. */
async function findingsWithoutNames(
  changed: ChangedBaseTestFiles,
  run: CompletedCommandRun,
  { readWeakenedTests, expected, subject, inventory: { sources } }: ExperimentInput,
): Promise<GateFinding[]> {
  const weakened = await readWeakenedTests();
  const deleted = new Set(
    subject.changes.flatMap(({ path, headEntry }) => (headEntry === null ? [path] : [])),
  );
  return changed.baseTestFiles.map((path): GateFinding => {
    const cases = sources.baseTests.filter((each) => each.path === path);
    const hasLostSubject = cases.length > 0 && cases.every((each) => sources.removedSubject(each));
    const isWeakened = (deleted.has(path) && !hasLostSubject) || weakened.some(({ file }) => file === path);
    return createExperimentFinding({
      file: path,
      severity: isWeakened ? getLostTestCoverageSeverity(expected, 'expectations_change') : 'info',
      cause: {
        rule: isWeakened ? 'run_old_test_fails' : 'run_expectation_changed',
        unnamed: { exitCode: run.processResult.exitCode, isWeakened },
      },
    });
  });
}

/** Judges what needs no further run: tests that are gone, and tests that failed on the base as well. */
function judgeFailures(
  failed: readonly BaseTestFailure[],
  context: ExperimentInput,
): ReadonlyMap<BaseTestFailure, BaseFailureAssessment> {
  const { sources, diff, baseline } = context.inventory;
  const now = indexTestResultsById(context.run.cases);
  const [passesNow, failsNow] = [
    selectTestIdsByOutcome(now, 'passed'),
    selectTestIdsByOutcome(now, 'failed'),
  ];
  const failedOnBase = selectTestIdsByOutcome(indexTestResultsById(baseline?.cases ?? null), 'failed');
  const hasSubject = (test: TestResult): boolean => findRemovedTestSubject(test, sources) === null;
  const lost = new Set(diff.lost.flatMap(({ test }) => (hasSubject(test) ? [computeTestId(test)] : [])));
  const judge = (test: TestResult): BaseFailureAssessment => {
    const id = computeTestId(test);
    const isOld = failedOnBase.has(id) && hasSubject(test);
    if (
      lost.has(id) ||
      diff.merged.has(id) ||
      (isOld && !passesNow.has(computeTestId(findPatchVersionOfTest(test, context))))
    )
      return { code: 'test_removed' };
    // Such a test states the task itself. Only a reviewer can say that it stated the wrong thing.
    return isOld ? { code: 'failed_on_base' } : null;
  };
  return new Map(
    failed
      // What failed before and still fails is no matter of this patch. What failed before and passes now is.
      .filter(
        ({ test }) =>
          !(
            failedOnBase.has(computeTestId(test)) &&
            failsNow.has(computeTestId(findPatchVersionOfTest(test, context)))
          ),
      )
      .map((each) => [each, judge(each.test)]),
  );
}

/** The test of the patch that took the place of a base test: its replacement, or the one of its name. */
export const findPatchVersionOfTest = (
  test: TestResult,
  { inventory: { diff, sources } }: Pick<ExperimentInput, 'inventory'>,
): Pick<TestResult, 'file' | 'name'> =>
  diff.replacements.get(computeTestId(test)) ?? {
    file: test.file === null ? null : sources.movedPath(test.file),
    name: test.name,
  };

const uniqueFailures = (all: readonly BaseTestFailure[]): BaseTestFailure[] => [
  ...new Map(all.map((each) => [computeTestId(each.test), each])).values(),
];
