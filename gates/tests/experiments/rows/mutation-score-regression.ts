import type { Experiment } from '../engine/experiment.ts';
import { type ExperimentContext, type ExperimentResult, NO_RESULT } from '../engine/experiment-context.ts';
import { findingOf } from '../engine/findings.ts';
import { changedBaseTests } from '../sources/test-source-index.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { readProjectInTime, treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { resultOfSource, runTransplanted } from '../trees/transplant-case.ts';
import {
  compareOnMutants,
  failedTestIds,
  isScoreRegression,
  type MutantComparisonOptions,
} from './mutant-comparison.ts';

/** Tries mutants of what changed tests are about: of those that one base test notices, no test of the patch notices most. */
export const mutationScoreRegression: Experiment = {
  id: 'mutation_score_regression',
  evidence: 'optional',
  tree: 'patch',
  tests: 'both_versions',
  perturbation: 'mutants',
  needs: ['mutants'],
  when: 'undecided',
  applies: ({ inventory }) => (inventory.changedTests?.keptTestFiles ?? []).length > 0,
  run: findScoreRegression,
};

async function findScoreRegression(context: ExperimentContext): Promise<ExperimentResult> {
  const { subject, inventory, settings } = context;
  const changed = inventory.changedTests;
  const maxMutants = settings?.mutants?.atMost ?? 0;
  const project = changed === null ? null : await readProjectInTime(subject);
  const base = changed === null || project === null ? null : await findLoadableBaseTests(changed, context);
  if (changed === null || project === null || base === null) return NO_RESULT;
  const tests = changed.keptTestFiles;
  const comparison = await compareOnMutants({
    ...context,
    side: project.head,
    tree: subject.tree,
    tests,
    ...base,
    patchTestsTree: await treeWithOnlyTests(subject, subject.tree, changed.patchPaths),
    allTestsTree: subject.tree,
    maxMutants,
  });
  const facts = { compared_mutants_tried: comparison.tried };
  for (const test of comparison.killingTests) {
    const kills = comparison.killsOf(test);
    const [mutant] = kills.lost;
    if (!mutant || !isScoreRegression(kills)) continue;
    const [lost, { noticed }] = [kills.lost.length, kills];
    const cause = { rule: 'run_tests_weakened', mutant: mutant.description, tests, lost, noticed } as const;
    return {
      findings: [findingOf({ file: mutant.path, line: mutant.line, severity: 'warning', cause })],
      facts,
    };
  }
  return { findings: [], facts };
}

/**
 * A tree of the new code in which base versions of changed tests run, and those that fail there as it is. Where the base's file cannot
 * be loaded, its cases are transplanted into the new one. Null: none run, or no report tells which of them fail.
 */
async function findLoadableBaseTests(
  changed: ChangedTests,
  context: ExperimentContext,
): Promise<Pick<MutantComparisonOptions, 'baseTestsTree' | 'ignoredIds'> | null> {
  const { runTests, inventory } = context;
  const { sources } = inventory;
  const baseTestsTree = await changed.baseTestsOnNewCode();
  const run = await runTests(baseTestsTree);
  if (run.outcome === 'passed') return { baseTestsTree, ignoredIds: new Set() };
  if (run.outcome !== 'failed' || context.run.cases === null) return null;
  const tests = changedBaseTests(sources, changed.baseTestFiles);
  if (tests.some((each) => resultOfSource(run, each)?.outcome === 'passed'))
    return { baseTestsTree, ignoredIds: failedTestIds(run) };
  const [first] = (await runTransplanted('patch', tests, { ...context, sources })).values();
  return first === undefined
    ? null
    : { baseTestsTree: first.tree, ignoredIds: failedTestIds(await runTests(first.tree)) };
}
