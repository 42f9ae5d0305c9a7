import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, isPossibleSourceName, type TestResult } from '../../../core/test-result.ts';
import type { Experiment } from '../engine/experiment.ts';
import type { ExperimentContext, FailureJudgement } from '../engine/experiment-context.ts';
import { mutantTimeLimitMs } from '../perturbations/ready-mutants.ts';
import { stubAllFunctions } from '../perturbations/stub-all.ts';
import type { TestSource } from '../sources/test-source-index.ts';
import { shareOfValuesKept } from '../sources/test-values.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { readProjectInTime, treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { runTransplanted, type TestOnTree } from '../trees/transplant-case.ts';
import { versionInPatch } from './base-tests.ts';
import { compareOnMutants, type MutantComparison } from './mutant-comparison.ts';
import { idsIn } from './outcomes.ts';

/** Runs the patch's version of tests whose base version fails on the old code: one that passes there no longer tells old from new. */
export const patchTestsOnOldCode: Experiment = {
  id: 'patch_tests_on_old_code',
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
    for (const each of open) failures.set(each, await judge(each.test));
    return { findings: [], facts: {}, failures };
  },
};

async function createJudge(
  changed: ChangedTests,
  context: ExperimentContext,
  failures: readonly TestOnTree[],
): Promise<(test: TestResult) => Promise<FailureJudgement>> {
  const { sources } = context.inventory;
  const [weakened, onOldCode] = await Promise.all([
    context.readWeakenedTests(),
    runOnOldCode(
      failures.map(({ test }) => versionInPatch(test, context)),
      changed,
      context,
    ),
  ]);
  const isAsStrong = createStrengthComparison(changed, context);
  return async (test) => {
    const now = versionInPatch(test, context);
    const [before, after] = [sources.inBase(test), sources.inPatch(now)];
    const weakening = weakened.find(
      (each) => each.file === now.file && (before === null || isAbout(each, before)),
    );
    const there = onOldCode.get(computeTestId(now));
    if (there?.test.outcome !== 'passed')
      return weakening ? { code: 'reads_weaker', message: weakening.message } : null;
    // A test that is only rewritten uses the same values.
    const isSame = before === null || after === null || shareOfValuesKept(before, after) === 1;
    const canBeRead = before !== null && after !== null;
    return isSame && !weakening && (await isAsStrong(test, now, there.tree, canBeRead))
      ? { code: 'as_strong' }
      : { code: 'passes_on_old_code' };
  };
}

/** Whether a finding is about this test: it names it, or is about the whole file. */
const isAbout = ({ test }: GateFinding, { name }: TestSource): boolean =>
  test === undefined || test === name || isPossibleSourceName(test, name);

type TestName = Pick<TestResult, 'file' | 'name'>;

/** Results of tests of the patch on the code of the base, by id. */
async function runOnOldCode(
  wanted: readonly TestName[],
  changed: ChangedTests,
  context: ExperimentContext,
): Promise<ReadonlyMap<string, TestOnTree>> {
  const { sources } = context.inventory;
  const tree = await changed.patchTestsOnOldCode();
  const { cases } = await context.runTests(tree);
  const known = new Map((cases ?? []).map((test) => [computeTestId(test), { test, tree }]));
  const open = new Map(
    wanted.flatMap((now) => {
      const after = known.has(computeTestId(now)) ? null : sources.inPatch(now);
      return after === null ? [] : [[after, computeTestId(now)] as const];
    }),
  );
  // Their file needs what the old code does not have.
  for (const [source, result] of await runTransplanted('base', [...open.keys()], { ...context, sources })) {
    const id = open.get(source);
    if (id !== undefined) known.set(id, result);
  }
  return known;
}

/**
 * Compares how strong two versions of a test are, where both pass on the old code. As strong: the patch's version notices every mutant
 * of the old code that the base version notices, and on the new code it notices that no function works. Then it is rewritten, as for
 * an interface that has become asynchronous. `tree` is the one of the old code in which it passes.
 */
function createStrengthComparison(
  changed: ChangedTests,
  context: ExperimentContext,
): (before: TestName, now: TestName, tree: string, canBeRead: boolean) => Promise<boolean> {
  const compared = new Map<string, Promise<MutantComparison | null>>();
  let failing: Promise<ReadonlySet<string>> | null = null;
  return async (before, now, tree, canBeRead) => {
    const comparing = compared.get(tree) ?? compareOnOldCode(changed, context, tree);
    compared.set(tree, comparing);
    const comparison = await comparing;
    // Where only helpers have changed, which are not read, a few mutants say too little.
    if (comparison === null || !(canBeRead || comparison.isComplete)) return false;
    const { noticed, lost } = comparison.killsOf(computeTestId(before), computeTestId(now));
    if (noticed === 0 || lost.length > 0) return false;
    failing ??= failingOnStubs(changed, context);
    return (await failing).has(computeTestId(now));
  };
}

async function compareOnOldCode(
  changed: ChangedTests,
  context: ExperimentContext,
  after: string,
): Promise<MutantComparison | null> {
  const { subject, settings } = context;
  const mutants = settings?.mutants ?? null;
  const project = mutants === null ? null : await readProjectInTime(subject);
  if (project === null || mutants === null) return null;
  return compareOnMutants({
    ...context,
    side: project.base,
    tree: subject.base,
    tests: changed.baseTestFiles,
    baseTestsTree: await treeWithOnlyTests(subject, subject.base, changed.baseTestFiles),
    patchTestsTree: after,
    allTestsTree: null,
    maxMutants: mutants.atMost,
  });
}

async function failingOnStubs(
  changed: ChangedTests,
  { subject, run, runTests }: ExperimentContext,
): Promise<ReadonlySet<string>> {
  const off = await stubAllFunctions(subject, subject.tree, 'nothing');
  if (off === null) return new Set();
  const { cases } = await runTests(await treeWithOnlyTests(subject, off, changed.patchPaths), {
    limitMs: mutantTimeLimitMs(run),
  });
  return idsIn(cases, 'failed');
}
