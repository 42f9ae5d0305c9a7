import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, isPossibleSourceName, type TestResult } from '../../../core/test-result.ts';
import type { Experiment } from '../engine/experiment.ts';
import type { ExperimentContext, FailureJudgement, RunTests } from '../engine/experiment-context.ts';
import { requireCompleted } from '../engine/test-runners.ts';
import type { TestSource } from '../sources/test-source-index.ts';
import { shareOfValuesKept } from '../sources/test-values.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { runTransplanted, type TestOnTree } from '../trees/transplant-case.ts';
import { versionInPatch } from './base-tests.ts';

/** Runs the patch's version of tests whose base version fails on the old code: one that passes there no longer tells old from new. */
export const patchTestsOnOldCode: Experiment = {
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
  changed: ChangedTests,
  context: ExperimentContext,
  failures: readonly TestOnTree[],
): Promise<(test: TestResult) => FailureJudgement> {
  const { sources } = context.inventory;
  const [weakened, onOldCode] = await Promise.all([
    context.readWeakenedTests(),
    runOnOldCode(
      failures.map(({ test }) => versionInPatch(test, context)),
      changed,
      context,
    ),
  ]);
  return (test) => {
    const now = versionInPatch(test, context);
    const [before, after] = [sources.inBase(test), sources.inPatch(now)];
    const weakening = weakened.find(
      (each) => each.file === now.file && (before === null || isAbout(each, before)),
    );
    const there = onOldCode.get(computeTestId(now));
    if (there?.test.outcome !== 'passed')
      return weakening ? { code: 'reads_weaker', message: weakening.message } : null;
    const keepsValues = before === null || after === null || shareOfValuesKept(before, after) === 1;
    return { code: 'passes_on_old_code', tree: there.tree, mayBeRewritten: keepsValues && !weakening };
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
  const runTests: RunTests = async (...asked) => requireCompleted(await context.runTests(...asked));
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
  for (const [source, result] of await runTransplanted('base', [...open.keys()], {
    ...context,
    runTests,
    sources,
  })) {
    const id = open.get(source);
    if (id !== undefined) known.set(id, result);
  }
  return known;
}
