import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import type { Experiment } from '../engine/experiment.ts';
import {
  type BaseTestFailure,
  type ExperimentContext,
  type FailureJudgement,
  NO_RESULT,
} from '../engine/experiment-context.ts';
import { mutantTimeLimitMs } from '../perturbations/ready-mutants.ts';
import { stubAllFunctions } from '../perturbations/stub-all.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { readProjectInTime, treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { versionInPatch } from './base-tests.ts';
import { compareOnMutants, type MutantComparison } from './mutant-comparison.ts';
import { idsIn } from './outcomes.ts';

/**
 * Clears failures of base tests whose version of the patch passes on the old code too, where that version is as strong: it notices every
 * mutant of the old code that the base version notices, and on the new code that no function works. Then it is rewritten, as for an
 * interface that has become asynchronous.
 */
export const rewrittenTests: Experiment = {
  id: 'rewritten_tests',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'mutants',
  needs: ['mutants'],
  when: 'always',
  applies: ({ failures }) => [...failures.values()].some(mayBeRewritten),
  run: async (context) => {
    const { changedTests } = context.inventory;
    if (changedTests === null) return NO_RESULT;
    const isAsStrong = createStrengthComparison(changedTests, context);
    const failures = new Map<BaseTestFailure, FailureJudgement>(context.failures);
    for (const [failure, judgement] of context.failures)
      if (mayBeRewritten(judgement) && (await isAsStrong(failure.test, judgement.tree)))
        failures.set(failure, { code: 'as_strong' });
    return { findings: [], facts: {}, failures };
  },
};

type PassesOnOldCode = Extract<FailureJudgement, { code: 'passes_on_old_code' }>;

const mayBeRewritten = (judgement: FailureJudgement): judgement is PassesOnOldCode =>
  judgement?.code === 'passes_on_old_code' && judgement.mayBeRewritten;

/** Compares how strong the two versions of a test are. `tree` is the one of the old code in which the version of the patch passes. */
function createStrengthComparison(
  changed: ChangedTests,
  context: ExperimentContext,
): (test: TestResult, tree: string) => Promise<boolean> {
  const { sources } = context.inventory;
  const compared = new Map<string, Promise<MutantComparison | null>>();
  let failing: Promise<ReadonlySet<string>> | null = null;
  return async (test, tree) => {
    const now = versionInPatch(test, context);
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
  changed: ChangedTests,
  context: ExperimentContext,
  after: string,
): Promise<MutantComparison | null> {
  const { subject, settings } = context;
  const project = await readProjectInTime(subject);
  if (project === null) return null;
  return compareOnMutants({
    ...context,
    side: project.base,
    tree: subject.base,
    tests: changed.baseTestFiles,
    baseTestsTree: await treeWithOnlyTests(subject, subject.base, changed.baseTestFiles),
    patchTestsTree: after,
    allTestsTree: null,
    maxMutants: settings?.mutants?.atMost ?? 0,
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
