import type { GateFinding } from '../../../core/gate-finding.ts';
import {
  collectTestIdsByOutcome,
  computeTestId,
  indexTestResultsById,
  selectTestIdsByOutcome,
  type TestResult,
} from '../../../core/test-result.ts';
import {
  createTestCaseFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import { ExperimentBudgetSpentError } from '../engine/test-runners.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import { writeTreeWithMutatedReturnValues } from '../perturbations/return-value-mutators/mutate-return-values.ts';
import type { ReturnValueMutation } from '../perturbations/rewrite-functions.ts';
import { findReplacementTests } from '../sources/test-inventory-diff.ts';
import {
  createPatchTestFilter,
  hasChangedEqualityFunctions,
  type TestSourceIndex,
} from '../sources/test-source-index.ts';
import {
  type ChangedBaseTestFiles,
  listTestFilesInPatch,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';

/** Mutations that a test notices if it checks values, or failures; each with a phrase for messages. */
const TEST_SENSITIVITY_MUTATIONS = {
  'other value': 'every value that the code answers is a little off',
  'other failure': 'the code fails in another way than it does',
} as const satisfies Partial<Record<ReturnValueMutation, string>>;
type TestSensitivityMutation = keyof typeof TEST_SENSITIVITY_MUTATIONS;
const TEST_SENSITIVITY_MUTATION_NAMES: readonly TestSensitivityMutation[] = ['other value', 'other failure'];

/** Runs the tests of a tree with mutated return values. Null: nothing can be mutated, no report names tests, or the budget is spent. */
type MutatedReturnValueTestRunner = (
  tree: string,
  how: ReturnValueMutation,
) => Promise<ReadonlyMap<string, TestResult> | null>;

/**
 * Mutates all that callers see of the code at once, at the border between code and tests, and judges each test by itself: however a
 * test is made blind (a comparison that drops what differs, a helper that takes any failure, an assertion on one branch), it passes
 * where it should fail.
 */
export const returnValueMutationExperiment: TestExperiment = {
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

async function findInsensitiveTests(context: ExperimentInput): Promise<ExperimentResult> {
  const { subject, run, inventory } = context;
  const touched = await listTestFilesInPatch(subject);
  if (touched.length === 0 || run.cases === null) return EMPTY_EXPERIMENT_RESULT;
  const isOfPatch = await createPatchTestFilter(subject);
  const candidates = run.cases.filter((test) => test.outcome === 'passed' && isOfPatch(test));
  if (candidates.length === 0) return EMPTY_EXPERIMENT_RESULT;
  const { runMutated, runs } = createMutatedRuns(context, wordsOfTests(inventory.sources, touched));
  const own = await writeTreeWithOnlyTests(subject, subject.tree, touched);
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
  { subject, run, runTests }: ExperimentInput,
  namedByTests: ReadonlySet<string>,
): { readonly runMutated: MutatedReturnValueTestRunner; readonly runs: () => number } {
  const known = new Map<string, ReturnType<MutatedReturnValueTestRunner>>();
  const runOnce: MutatedReturnValueTestRunner = async (tree, mutation) => {
    const mutated = await writeTreeWithMutatedReturnValues(subject, tree, mutation, namedByTests);
    if (mutated === null) return null;
    try {
      const { cases } = await runTests(mutated, { limitMs: computeMutantTimeLimitMs(run) });
      return cases === null ? null : indexTestResultsById(cases);
    } catch (error) {
      if (error instanceof ExperimentBudgetSpentError) return null;
      throw error;
    }
  };
  const runMutated: MutatedReturnValueTestRunner = (tree, mutation) => {
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
  runMutated: (how: ReturnValueMutation) => ReturnType<MutatedReturnValueTestRunner>,
): Promise<GateFinding[]> {
  const passing = selectTestIdsByOutcome(await runMutated('fails'), 'passed');
  if (!candidates.some((test) => passing.has(computeTestId(test)))) return [];
  const answered = selectTestIdsByOutcome(await runMutated('nothing'), 'failed');
  const suspects = candidates.filter(
    (test) => passing.has(computeTestId(test)) && answered.has(computeTestId(test)),
  );
  if (suspects.length === 0) return [];
  const indifferent = selectTestIdsByOutcome(await runMutated('no failure'), 'passed');
  return suspects
    .filter((test) => indifferent.has(computeTestId(test)))
    .map((test) => createTestCaseFinding(test, { rule: 'run_failure_thrown_away' }, 'warning'));
}

/** Finds tests whose base version notices a mutation of the new code, and whose version of the patch does not. */
async function findLessSensitiveTests(
  { runTests, inventory: { sources } }: ExperimentInput,
  candidates: readonly TestResult[],
  changed: ChangedBaseTestFiles,
  own: string,
  runMutated: MutatedReturnValueTestRunner,
): Promise<GateFinding[]> {
  const tree = await changed.baseTestsOnNewCode();
  const base = await runTests(tree);
  if (base.cases === null) return [];
  // Tests that are new were never stronger.
  const passedBefore = collectTestIdsByOutcome(base.cases, 'passed');
  const kept = candidates.filter((test) => passedBefore.has(computeTestId(test)));
  if (kept.length === 0) return [];
  const baseIds = new Set(base.cases.map(computeTestId));
  const found: GateFinding[] = [];
  for (const mutation of TEST_SENSITIVITY_MUTATION_NAMES) {
    const now = await runMutated(own, mutation);
    const passing = selectTestIdsByOutcome(now, 'passed');
    const insensitive = kept.filter((test) => passing.has(computeTestId(test)));
    if (now === null || insensitive.length === 0) continue;
    const noticedBefore = selectTestIdsByOutcome(await runMutated(tree, mutation), 'failed');
    // A new test beside it may check what it no longer does.
    const isCovered = [...selectTestIdsByOutcome(now, 'failed')].some((id) => !baseIds.has(id));
    for (const test of insensitive.filter((each) => noticedBefore.has(computeTestId(each))))
      found.push(
        createTestCaseFinding(
          test,
          {
            rule: 'run_test_asks_less',
            mutation: TEST_SENSITIVITY_MUTATIONS[mutation],
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

/** A test that notices one of these instead has not become weaker: the code fails now where it answered, or the other way round. */
const COMPENSATING_MUTATIONS = {
  'other value': ['other failure', 'no failure'],
  'other failure': ['other value', 'nothing'],
} as const satisfies Record<TestSensitivityMutation, readonly ReturnValueMutation[]>;

/**
 * Finds base tests that notice a mutation of the base's code, where on the new code neither they nor their replacements do. A test
 * whose text did not change is asked only where the patch changes what the code calls equal, which may accept more now.
 */
async function findSensitivityRegressions(
  { subject, runTests, run, inventory: { diff, sources } }: ExperimentInput,
  changed: ChangedBaseTestFiles,
  own: string,
  runMutated: MutatedReturnValueTestRunner,
): Promise<GateFinding[]> {
  const base = await writeTreeWithOnlyTests(subject, subject.base, changed.baseTestFiles);
  const passed = collectTestIdsByOutcome((await runTests(base)).cases, 'passed');
  const hasOtherEquality = await hasChangedEqualityFunctions(sources);
  const now = indexTestResultsById(run.cases);
  const removed = indexTestResultsById(diff.removed);
  const added = new Set(diff.added.map(computeTestId));
  const isUnchanged = (id: string): boolean => {
    const test = now.get(id);
    return test !== undefined && sources.inBase(test)?.text === sources.inPatch(test)?.text;
  };
  const heirsOf = (id: string): string[] => {
    const test = removed.get(id);
    if (test !== undefined) return findReplacementTests(test, diff, sources).map(computeTestId);
    return now.has(id) && (hasOtherEquality || !isUnchanged(id)) ? [id] : [];
  };
  const found: GateFinding[] = [];
  for (const mutation of passed.size === 0 ? [] : TEST_SENSITIVITY_MUTATION_NAMES) {
    const results = await runMutated(own, mutation);
    const [passing, failing] = [
      selectTestIdsByOutcome(results, 'passed'),
      selectTestIdsByOutcome(results, 'failed'),
    ];
    // Where no test notices, there may be nothing in what the code answers that can be mutated.
    if (mutation === 'other value' && failing.size === 0 && !hasOtherEquality) continue;
    const isInsensitive = (id: string): boolean => {
      const heirs = heirsOf(id);
      return heirs.length > 0 && heirs.every((each) => passing.has(each));
    };
    if (![...passed].some(isInsensitive)) continue;
    const noticedBefore = selectTestIdsByOutcome(await runMutated(base, mutation), 'failed');
    for (const id of [...noticedBefore].filter((each) => passed.has(each) && isInsensitive(each))) {
      const heirs = heirsOf(id);
      const trees = { own, base, runMutated };
      if (await isCompensated(id, heirs, COMPENSATING_MUTATIONS[mutation], trees)) continue;
      const test = removed.get(id) ?? now.get(id);
      const [heir] = heirs.map((each) => now.get(each));
      if (!test || !heir) continue;
      const isCovered = !isUnchanged(id) && [...failing].some((each) => added.has(each));
      found.push(
        createTestCaseFinding(
          { file: heir.file, name: test.name },
          {
            rule: 'run_test_asks_less',
            mutation: TEST_SENSITIVITY_MUTATIONS[mutation],
            noticedOn: 'old_code',
            replacement: heir.name === test.name ? null : heir.name,
          },
          isCovered ? 'info' : 'warning',
          sources.inPatch(heir)?.line,
        ),
      );
    }
  }
  return found;
}

/** Whether one of the heirs notices another mutation on the new code, which the base test did not notice on the old one. */
async function isCompensated(
  id: string,
  heirs: readonly string[],
  mutations: readonly ReturnValueMutation[],
  {
    own,
    base,
    runMutated,
  }: { readonly own: string; readonly base: string; readonly runMutated: MutatedReturnValueTestRunner },
): Promise<boolean> {
  for (const mutation of mutations) {
    const noticed = selectTestIdsByOutcome(await runMutated(own, mutation), 'failed');
    if (!heirs.some((each) => noticed.has(each))) continue;
    if (!selectTestIdsByOutcome(await runMutated(base, mutation), 'failed').has(id)) return true;
  }
  return false;
}
