import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { isProjectCodePath } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import { readAddedLines } from '../../running/added-lines.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import {
  createTestCaseFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import { computeMutantTimeLimitMs, hasChangedFunctionBodies } from '../perturbations/mutants.ts';
import { writeTreeWithStubbedFunctions } from '../perturbations/rewrite-functions.ts';
import { findReplacementTests } from '../sources/test-inventory-diff.ts';
import {
  listTestFilesInPatch,
  writeBaseTreeWithChangedPatchTests,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';
import { failedTestIds } from './mutation-score-regression.ts';
import { findUnexecutedCode } from './unexecuted-code.ts';

/** A test that passes although no function of the project works. */
interface VacuousTest {
  readonly test: TestResult;
  /** It passes where each function returns nothing, and on the code of the base; where functions raise it fails. */
  readonly passesOnlyWhenStubbed: boolean;
  /** The base test that this one is, or that it replaced, and that failed there; null: there is none. */
  readonly noticedBefore: TestResult | null;
  readonly isNew: boolean;
}

/**
 * Runs the tests that the patch brings or changes where no function of the project works: once each returns nothing, once each raises.
 * A test that passes both times checks nothing, whatever is written in it: a copy or a stand-in of its subject, a condition that never
 * holds, a name that nothing defines.
 */
export const vacuousTestsExperiment: TestExperiment = {
  id: 'vacuous_tests',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'stubs',
  needs: ['mutants'],
  when: 'undecided',
  applies: () => true,
  run: findVacuousTests,
};

async function findVacuousTests(context: ExperimentInput): Promise<ExperimentResult> {
  const { subject, run, runTests, inventory } = context;
  const touched = await listTestFilesInPatch(subject);
  if (touched.length === 0) return EMPTY_EXPERIMENT_RESULT;
  const limit = { limitMs: computeMutantTimeLimitMs(run) };
  const stubbed = await writeTreeWithStubbedFunctions(subject, subject.tree, 'nothing');
  if (stubbed === null) return EMPTY_EXPERIMENT_RESULT;
  const onStubs = await runTests(await writeTreeWithOnlyTests(subject, stubbed, touched), limit);
  const suspects = passedTests(onStubs);
  if (suspects.size === 0) return resultWith('none', []);
  const raising = await writeTreeWithStubbedFunctions(subject, subject.tree, 'breaks');
  if (raising === null) return EMPTY_EXPERIMENT_RESULT;
  const passing = passedTests(await runTests(await writeTreeWithOnlyTests(subject, raising, touched), limit));
  // Tests of code that does not change pass on the base anyway, and Go and Rust return a zero that a test may expect.
  const canTell = !changesTestsOnly(subject) && touched.every((path) => !/\.(?:go|rs)$/.test(path));
  const onlyStubbed = canTell ? [...suspects.keys()].filter((id) => !passing.has(id)) : [];
  const onOldCode =
    onlyStubbed.length === 0
      ? null
      : passedTests(
          await runTests(await writeBaseTreeWithChangedPatchTests(subject, inventory.changedTests)),
        );
  const vacuous = [...suspects].flatMap(([id, test]) =>
    passing.has(id) || onOldCode?.has(id) ? [{ test, passesOnlyWhenStubbed: !passing.has(id) }] : [],
  );
  if (vacuous.length === 0) return resultWith('none', []);
  const base = await writeTreeWithStubbedFunctions(subject, subject.base, 'nothing');
  const before = base === null ? null : await runTests(base, limit);
  // Where nothing fails on either side, the tests may run on other code than this tree.
  if (before?.outcome !== 'failed' && (await runTests(stubbed, limit)).outcome === 'passed')
    return resultWith('unknown', await findUnexecutedCode(context));
  const replaced = replacedTests(vacuous, before, context);
  const described = vacuous.map((each) => describeVacuous(each, before, replaced));
  return resultWith('some', await vacuousFindings(context, described, onStubs));
}

const resultWith = (vacuous: string, findings: readonly GateFinding[]): ExperimentResult => ({
  findings,
  facts: { vacuous_tests: vacuous },
});

/** Removed base tests that failed on stubs, where all of their replacements are vacuous; by the id of each replacement. */
function replacedTests(
  vacuous: readonly Pick<VacuousTest, 'test'>[],
  before: CompletedCommandRun | null,
  { inventory: { diff, sources } }: ExperimentInput,
): ReadonlyMap<string, TestResult> {
  const ids = new Set(vacuous.map(({ test }) => computeTestId(test)));
  const noticed = before === null ? new Set() : failedTestIds(before);
  const replaced = new Map<string, TestResult>();
  for (const removed of diff.removed) {
    const replacements = noticed.has(computeTestId(removed))
      ? findReplacementTests(removed, diff, sources)
      : [];
    if (replacements.every((each) => ids.has(computeTestId(each))))
      for (const each of replacements) replaced.set(computeTestId(each), removed);
  }
  return replaced;
}

/** The tests that passed, by id; without names one for all. */
function passedTests({ outcome, cases }: CompletedCommandRun): ReadonlyMap<string, TestResult> {
  if (cases === null)
    return new Map(
      outcome === 'passed' ? [['', { name: 'the tests', file: null, outcome, duration_ms: null }]] : [],
    );
  return new Map(cases.flatMap((test) => (test.outcome === 'passed' ? [[computeTestId(test), test]] : [])));
}

function describeVacuous(
  { test, passesOnlyWhenStubbed }: Pick<VacuousTest, 'test' | 'passesOnlyWhenStubbed'>,
  before: CompletedCommandRun | null,
  replaced: ReadonlyMap<string, TestResult>,
): VacuousTest {
  const id = computeTestId(test);
  const same = (before?.cases ?? []).filter((each) => computeTestId(each) === id);
  const itself = passesOnlyWhenStubbed ? undefined : same.find(({ outcome }) => outcome === 'failed');
  return {
    test,
    passesOnlyWhenStubbed,
    isNew: same.length === 0 && before?.cases !== null,
    noticedBefore: itself ?? replaced.get(id) ?? null,
  };
}

const changesTestsOnly = ({ changes }: PatchToCheck): boolean =>
  !changes.some(({ path }) => isProjectCodePath(path) && !isTestPath(path));

/** A single new test may ask for a constant, or only that something loads; where most are like that, they are for show. */
async function vacuousFindings(
  { subject, inventory }: ExperimentInput,
  vacuous: readonly VacuousTest[],
  only: CompletedCommandRun,
): Promise<GateFinding[]> {
  const { patchTests, baseTests, inPatch } = inventory.sources;
  const had = new Set(baseTests.map(({ text }) => text));
  const fresh = patchTests.filter(({ text }) => !had.has(text)).length;
  // What only moved is not new, and what no case stands for may be a file that a runner loads without a test in it.
  const written = (test: TestResult): boolean => {
    const text = inPatch(test)?.text;
    return text === undefined ? only.cases === null : !had.has(text);
  };
  const brought = vacuous.filter(({ test, isNew }) => isNew && written(test));
  const ran = Math.max(1, Math.min(fresh, (only.cases ?? []).length));
  const added = await readAddedLines(subject.store, subject.base, subject.tree);
  const isMost =
    brought.length > ran / 2 &&
    (changesTestsOnly(subject) || (await hasChangedFunctionBodies(subject, added.isAdded)));
  return vacuous.flatMap(({ test, isNew, noticedBefore, passesOnlyWhenStubbed }): GateFinding[] =>
    (isNew && written(test)) || noticedBefore !== null
      ? [
          createTestCaseFinding(
            test,
            {
              rule: 'run_test_asks_nothing',
              passes: !passesOnlyWhenStubbed
                ? 'stubbed_and_failing'
                : noticedBefore === null
                  ? 'stubbed_and_on_old_code'
                  : 'stubbed',
              noticedBefore:
                noticedBefore === null || computeTestId(noticedBefore) === computeTestId(test)
                  ? noticedBefore && 'itself'
                  : { replaced: noticedBefore.name },
            },
            noticedBefore !== null || isMost ? 'warning' : 'info',
          ),
        ]
      : [],
  );
}
