import type { GateFinding } from '../../../core/gate-finding.ts';
import {
  collectTestIdsByOutcome,
  computeTestId,
  isPossibleTestSourceName,
  type TestResult,
} from '../../../core/test-result.ts';
import {
  type BaseFailureAssessment,
  type BaseTestFailure,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type TestExperiment,
  type TreeTestRunner,
} from '../engine/experiment.ts';
import { requireCompletedRun } from '../engine/test-runners.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import { writeTreeWithStubbedFunctions } from '../perturbations/rewrite-functions.ts';
import { computeKeptTestValueShare, type TestCaseSource } from '../sources/test-source-index.ts';
import {
  type ChangedBaseTestFiles,
  readProjectCodeWithinTimeLimit,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';
import { runTransplantedTests, type TestResultOnTree } from '../trees/transplant-case.ts';
import { findPatchVersionOfTest } from './base-tests.ts';
import { compareTestsOnMutants, type MutantTestComparison } from './mutation-score-regression.ts';

/** Runs the patch's version of tests whose base version fails on the old code: one that passes there no longer tells old from new. */
export const patchTestsOnBaseCodeExperiment: TestExperiment = {
  id: 'patch_tests_on_old_code',
  evidence: 'required',
  tree: 'base',
  tests: 'patch_version',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: ({ failures }) => [...failures.values()].includes(null),
  run: async (context) => {
    const { changedTests } = context.inventory;
    const open = [...context.failures].flatMap(([failure, judgement]) =>
      judgement === null && changedTests !== null ? [failure] : [],
    );
    if (changedTests === null || open.length === 0) return { findings: [], facts: {} };
    const judge = await createJudge(changedTests, context, open);
    const failures = new Map(context.failures);
    for (const each of open) failures.set(each, judge(each.test));
    return { findings: [], facts: {}, failures };
  },
};

async function createJudge(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
  failures: readonly TestResultOnTree[],
): Promise<(test: TestResult) => BaseFailureAssessment> {
  const { sources } = context.inventory;
  const [weakened, onOldCode] = await Promise.all([
    context.readWeakenedTests(),
    runOnOldCode(
      failures.map(({ test }) => findPatchVersionOfTest(test, context)),
      changed,
      context,
    ),
  ]);
  return (test) => {
    const now = findPatchVersionOfTest(test, context);
    const [before, after] = [sources.inBase(test), sources.inPatch(now)];
    const weakening = weakened.find(
      (each) => each.file === now.file && (before === null || isAbout(each, before)),
    );
    const there = onOldCode.get(computeTestId(now));
    if (there?.test.outcome !== 'passed')
      return weakening ? { code: 'reads_weaker', message: weakening.message } : null;
    const keepsValues = before === null || after === null || computeKeptTestValueShare(before, after) === 1;
    return { code: 'passes_on_old_code', tree: there.tree, mayBeRewritten: keepsValues && !weakening };
  };
}

/** Whether a finding is about this test: it names it, or is about the whole file. */
const isAbout = ({ test }: GateFinding, { name }: TestCaseSource): boolean =>
  test === undefined || test === name || isPossibleTestSourceName(test, name);

type TestName = Pick<TestResult, 'file' | 'name'>;

/** Results of tests of the patch on the code of the base, by id. */
async function runOnOldCode(
  wanted: readonly TestName[],
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): Promise<ReadonlyMap<string, TestResultOnTree>> {
  const { sources } = context.inventory;
  const runTests: TreeTestRunner = async (...asked) => requireCompletedRun(await context.runTests(...asked));
  const tree = await changed.patchTestsOnOldCode();
  const { cases } = await runTests(tree);
  const known = new Map((cases ?? []).map((test) => [computeTestId(test), { test, tree }]));
  const open = new Map(
    wanted.flatMap((now) => {
      const after = known.has(computeTestId(now)) ? null : sources.inPatch(now);
      return after === null ? [] : [[after, computeTestId(now)] as const];
    }),
  );
  // Their file needs what the old code does not have.
  for (const [source, result] of await runTransplantedTests('base', [...open.keys()], {
    ...context,
    runTests,
    sources,
  })) {
    const id = open.get(source);
    if (id !== undefined) known.set(id, result);
  }
  return known;
}

/**
 * Clears failures of base tests whose version of the patch passes on the old code too, where that version is as strong: it notices every
 * mutant of the old code that the base version notices, and on the new code that no function works. Then it is rewritten, as for an
 * interface that has become asynchronous.
 */
export const rewrittenTestsExperiment: TestExperiment = {
  id: 'rewritten_tests',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'mutants',
  needs: ['mutants'],
  when: 'always',
  applies: ({ failures }) => [...failures.values()].some(isPossibleRewrite),
  run: async (context) => {
    const { changedTests } = context.inventory;
    if (changedTests === null) return EMPTY_EXPERIMENT_RESULT;
    const isAsStrong = createStrengthComparison(changedTests, context);
    const failures = new Map<BaseTestFailure, BaseFailureAssessment>(context.failures);
    for (const [failure, judgement] of context.failures)
      if (isPossibleRewrite(judgement) && (await isAsStrong(failure.test, judgement.tree)))
        failures.set(failure, { code: 'as_strong' });
    return { findings: [], facts: {}, failures };
  },
};

type PassesOnOldCode = Extract<BaseFailureAssessment, { code: 'passes_on_old_code' }>;

const isPossibleRewrite = (judgement: BaseFailureAssessment): judgement is PassesOnOldCode =>
  judgement?.code === 'passes_on_old_code' && judgement.mayBeRewritten;

/** Compares how strong the two versions of a test are. `tree` is the one of the old code in which the version of the patch passes. */
function createStrengthComparison(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): (test: TestResult, tree: string) => Promise<boolean> {
  const { sources } = context.inventory;
  const compared = new Map<string, Promise<MutantTestComparison | null>>();
  let failing: Promise<ReadonlySet<string>> | null = null;
  return async (test, tree) => {
    const now = findPatchVersionOfTest(test, context);
    const comparing = compared.get(tree) ?? compareOnOldCode(changed, context, tree);
    compared.set(tree, comparing);
    const comparison = await comparing;
    const canBeRead = sources.inBase(test) !== null && sources.inPatch(now) !== null;
    // Where only helpers have changed, which are not read, a few mutants say too little.
    if (comparison === null || !(canBeRead || comparison.isComplete)) return false;
    const { noticed, lost } = comparison.killsOf(computeTestId(test), computeTestId(now));
    if (noticed === 0 || lost.length > 0) return false;
    failing ??= failingOnStubs(changed, context);
    return (await failing).has(computeTestId(now));
  };
}

async function compareOnOldCode(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
  after: string,
): Promise<MutantTestComparison | null> {
  const { subject, settings } = context;
  const project = await readProjectCodeWithinTimeLimit(subject);
  if (project === null) return null;
  return compareTestsOnMutants({
    ...context,
    side: project.base,
    tree: subject.base,
    tests: changed.baseTestFiles,
    baseTestsTree: await writeTreeWithOnlyTests(subject, subject.base, changed.baseTestFiles),
    patchTestsTree: after,
    allTestsTree: null,
    maxMutants: settings?.mutants?.atMost ?? 0,
  });
}

async function failingOnStubs(
  changed: ChangedBaseTestFiles,
  { subject, run, runTests }: ExperimentInput,
): Promise<ReadonlySet<string>> {
  const off = await writeTreeWithStubbedFunctions(subject, subject.tree, 'nothing');
  if (off === null) return new Set();
  const { cases } = await runTests(await writeTreeWithOnlyTests(subject, off, changed.patchPaths), {
    limitMs: computeMutantTimeLimitMs(run),
  });
  return collectTestIdsByOutcome(cases, 'failed');
}
