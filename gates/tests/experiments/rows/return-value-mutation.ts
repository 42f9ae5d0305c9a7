import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import { BudgetSpentError } from '../engine/budget.ts';
import type { Experiment } from '../engine/experiment.ts';
import { type ExperimentContext, type ExperimentResult, NO_RESULT } from '../engine/experiment-context.ts';
import { testFinding } from '../engine/findings.ts';
import { mutantTimeLimitMs } from '../perturbations/ready-mutants.ts';
import { mutateReturnValues } from '../perturbations/return-value-mutators/mutate-return-values.ts';
import type { ReturnValueMutation } from '../perturbations/return-value-mutators/return-value-mutator.ts';
import { patchTestFilter } from '../sources/patch-test-filter.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import { type ChangedTests, listTouchedTests } from '../trees/changed-tests.ts';
import { treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { idsIn, idsWithOutcome, resultsById } from './outcomes.ts';
import { ALL_SENSITIVITY_MUTATIONS, type RunMutated, SENSITIVITY_MUTATIONS } from './sensitivity.ts';
import { findSensitivityRegressions } from './sensitivity-regression.ts';

/**
 * Mutates all that callers see of the code at once, at the border between code and tests, and judges each test by itself: however a
 * test is made blind (a comparison that drops what differs, a helper that takes any failure, an assertion on one branch), it passes
 * where it should fail.
 */
export const returnValueMutation: Experiment = {
  id: 'return_value_mutation',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'return_values',
  needs: ['mutants'],
  when: 'undecided',
  applies: ({ run }) => run.cases !== null,
  run: findInsensitiveTests,
};

async function findInsensitiveTests(context: ExperimentContext): Promise<ExperimentResult> {
  const { subject, run, inventory } = context;
  const touched = await listTouchedTests(subject);
  if (touched.length === 0 || run.cases === null) return NO_RESULT;
  const isOfPatch = await patchTestFilter(subject);
  const candidates = run.cases.filter((test) => test.outcome === 'passed' && isOfPatch(test));
  if (candidates.length === 0) return NO_RESULT;
  const { runMutated, runs } = createMutatedRuns(context, wordsOfTests(inventory.sources, touched));
  const own = await treeWithOnlyTests(subject, subject.tree, touched);
  const changed = inventory.changedTests;
  const findings = [
    ...(await findDiscardedFailures(candidates, (mutation) => runMutated(own, mutation))),
    ...(changed === null ? [] : await findLessSensitiveTests(context, candidates, changed, own, runMutated)),
    ...(changed === null ? [] : await findSensitivityRegressions(context, changed, own, runMutated)),
  ];
  return { findings, facts: { return_value_runs: runs() } };
}

/** Runs each tree with each mutation once. */
function createMutatedRuns(
  { subject, run, runTests }: ExperimentContext,
  namedByTests: ReadonlySet<string>,
): { readonly runMutated: RunMutated; readonly runs: () => number } {
  const known = new Map<string, ReturnType<RunMutated>>();
  const runOnce: RunMutated = async (tree, mutation) => {
    const mutated = await mutateReturnValues(subject, tree, mutation, namedByTests);
    if (mutated === null) return null;
    try {
      const { cases } = await runTests(mutated, { limitMs: mutantTimeLimitMs(run) });
      return cases === null ? null : resultsById(cases);
    } catch (error) {
      if (error instanceof BudgetSpentError) return null;
      throw error;
    }
  };
  const runMutated: RunMutated = (tree, mutation) => {
    const key = `${mutation} ${tree}`;
    const results = known.get(key) ?? runOnce(tree, mutation);
    known.set(key, results);
    return results;
  };
  return { runMutated, runs: () => known.size };
}

/**
 * Finds tests that fail where the code returns nothing, and pass where it fails instead: they discard the failure. A test that expects
 * a failure fails where there is none.
 */
async function findDiscardedFailures(
  candidates: readonly TestResult[],
  runMutated: (how: ReturnValueMutation) => ReturnType<RunMutated>,
): Promise<GateFinding[]> {
  const passing = idsWithOutcome(await runMutated('fails'), 'passed');
  if (!candidates.some((test) => passing.has(computeTestId(test)))) return [];
  const answered = idsWithOutcome(await runMutated('nothing'), 'failed');
  const suspects = candidates.filter(
    (test) => passing.has(computeTestId(test)) && answered.has(computeTestId(test)),
  );
  if (suspects.length === 0) return [];
  const indifferent = idsWithOutcome(await runMutated('no failure'), 'passed');
  return suspects
    .filter((test) => indifferent.has(computeTestId(test)))
    .map((test) => testFinding(test, { rule: 'run_failure_thrown_away' }, 'warning'));
}

/** Finds tests whose base version notices a mutation of the new code, and whose version of the patch does not. */
async function findLessSensitiveTests(
  { runTests, inventory: { sources } }: ExperimentContext,
  candidates: readonly TestResult[],
  changed: ChangedTests,
  own: string,
  runMutated: RunMutated,
): Promise<GateFinding[]> {
  const tree = await changed.baseTestsOnNewCode();
  const base = await runTests(tree);
  if (base.cases === null) return [];
  // Tests that are new were never stronger.
  const passedBefore = idsIn(base.cases, 'passed');
  const kept = candidates.filter((test) => passedBefore.has(computeTestId(test)));
  if (kept.length === 0) return [];
  const baseIds = new Set(base.cases.map(computeTestId));
  const found: GateFinding[] = [];
  for (const mutation of ALL_SENSITIVITY_MUTATIONS) {
    const now = await runMutated(own, mutation);
    const passing = idsWithOutcome(now, 'passed');
    const insensitive = kept.filter((test) => passing.has(computeTestId(test)));
    if (now === null || insensitive.length === 0) continue;
    const noticedBefore = idsWithOutcome(await runMutated(tree, mutation), 'failed');
    // A new test beside it may check what it no longer does.
    const isCovered = [...idsWithOutcome(now, 'failed')].some((id) => !baseIds.has(id));
    for (const test of insensitive.filter((each) => noticedBefore.has(computeTestId(each))))
      found.push(
        testFinding(
          test,
          {
            rule: 'run_test_asks_less',
            mutation: SENSITIVITY_MUTATIONS[mutation],
            noticedOn: 'new_code',
            replacement: null,
          },
          isCovered ? 'info' : 'warning',
          sources.inPatch(test)?.line,
        ),
      );
  }
  return found;
}

/** The words of tests that the patch touches, on both sides. */
function wordsOfTests({ changedTexts }: TestSourceIndex, touched: readonly string[]): ReadonlySet<string> {
  const own = changedTexts.filter(({ path }) => touched.includes(path));
  return new Set(
    own.flatMap(({ before, after }) => `${before ?? ''}\n${after ?? ''}`.match(/[\p{L}\p{N}_$]+/gu) ?? []),
  );
}
