import type { GateFinding } from '../../../core/gate-finding.ts';
import {
  computeTestId,
  idsIn,
  idsWithOutcome,
  resultsById,
  type TestResult,
} from '../../../core/test-result.ts';
import {
  type Experiment,
  type ExperimentContext,
  type ExperimentResult,
  NO_RESULT,
  testFinding,
} from '../engine/experiment.ts';
import { BudgetSpentError } from '../engine/test-runners.ts';
import { mutantTimeLimitMs } from '../perturbations/mutants.ts';
import { mutateReturnValues } from '../perturbations/return-value-mutators/mutate-return-values.ts';
import type { ReturnValueMutation } from '../perturbations/rewrite-functions.ts';
import { replacementTestsOf } from '../sources/test-inventory-diff.ts';
import { changesEquality, patchTestFilter, type TestSourceIndex } from '../sources/test-source-index.ts';
import { type ChangedTests, listTouchedTests, treeWithOnlyTests } from '../trees/changed-tests.ts';

/** Mutations that a test notices if it checks values, or failures; each with a phrase for messages. */
const SENSITIVITY_MUTATIONS = {
  'other value': 'every value that the code answers is a little off',
  'other failure': 'the code fails in another way than it does',
} as const satisfies Partial<Record<ReturnValueMutation, string>>;
type SensitivityMutation = keyof typeof SENSITIVITY_MUTATIONS;
const ALL_SENSITIVITY_MUTATIONS: readonly SensitivityMutation[] = ['other value', 'other failure'];

/** Runs the tests of a tree with mutated return values. Null: nothing can be mutated, no report names tests, or the budget is spent. */
type RunMutated = (tree: string, how: ReturnValueMutation) => Promise<ReadonlyMap<string, TestResult> | null>;

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

/** A test that notices one of these instead has not become weaker: the code fails now where it answered, or the other way round. */
const COMPENSATING_MUTATIONS = {
  'other value': ['other failure', 'no failure'],
  'other failure': ['other value', 'nothing'],
} as const satisfies Record<SensitivityMutation, readonly ReturnValueMutation[]>;

/**
 * Finds base tests that notice a mutation of the base's code, where on the new code neither they nor their replacements do. A test
 * whose text did not change is asked only where the patch changes what the code calls equal, which may accept more now.
 */
async function findSensitivityRegressions(
  { subject, runTests, run, inventory: { diff, sources } }: ExperimentContext,
  changed: ChangedTests,
  own: string,
  runMutated: RunMutated,
): Promise<GateFinding[]> {
  const base = await treeWithOnlyTests(subject, subject.base, changed.baseTestFiles);
  const passed = idsIn((await runTests(base)).cases, 'passed');
  const hasOtherEquality = await changesEquality(sources);
  const now = resultsById(run.cases);
  const removed = resultsById(diff.removed);
  const added = new Set(diff.added.map(computeTestId));
  const isUnchanged = (id: string): boolean => {
    const test = now.get(id);
    return test !== undefined && sources.inBase(test)?.text === sources.inPatch(test)?.text;
  };
  const heirsOf = (id: string): string[] => {
    const test = removed.get(id);
    if (test !== undefined) return replacementTestsOf(test, diff, sources).map(computeTestId);
    return now.has(id) && (hasOtherEquality || !isUnchanged(id)) ? [id] : [];
  };
  const found: GateFinding[] = [];
  for (const mutation of passed.size === 0 ? [] : ALL_SENSITIVITY_MUTATIONS) {
    const results = await runMutated(own, mutation);
    const [passing, failing] = [idsWithOutcome(results, 'passed'), idsWithOutcome(results, 'failed')];
    // Where no test notices, there may be nothing in what the code answers that can be mutated.
    if (mutation === 'other value' && failing.size === 0 && !hasOtherEquality) continue;
    const isInsensitive = (id: string): boolean => {
      const heirs = heirsOf(id);
      return heirs.length > 0 && heirs.every((each) => passing.has(each));
    };
    if (![...passed].some(isInsensitive)) continue;
    const noticedBefore = idsWithOutcome(await runMutated(base, mutation), 'failed');
    for (const id of [...noticedBefore].filter((each) => passed.has(each) && isInsensitive(each))) {
      const heirs = heirsOf(id);
      const trees = { own, base, runMutated };
      if (await isCompensated(id, heirs, COMPENSATING_MUTATIONS[mutation], trees)) continue;
      const test = removed.get(id) ?? now.get(id);
      const [heir] = heirs.map((each) => now.get(each));
      if (!test || !heir) continue;
      const isCovered = !isUnchanged(id) && [...failing].some((each) => added.has(each));
      found.push(
        testFinding(
          { file: heir.file, name: test.name },
          {
            rule: 'run_test_asks_less',
            mutation: SENSITIVITY_MUTATIONS[mutation],
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
  { own, base, runMutated }: { readonly own: string; readonly base: string; readonly runMutated: RunMutated },
): Promise<boolean> {
  for (const mutation of mutations) {
    const noticed = idsWithOutcome(await runMutated(own, mutation), 'failed');
    if (!heirs.some((each) => noticed.has(each))) continue;
    if (!idsWithOutcome(await runMutated(base, mutation), 'failed').has(id)) return true;
  }
  return false;
}
