import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { ExperimentContext } from '../engine/experiment-context.ts';
import { testFinding } from '../engine/findings.ts';
import type { ReturnValueMutation } from '../perturbations/return-value-mutators/return-value-mutator.ts';
import { replacementTestsOf } from '../sources/replacement-tests.ts';
import { changesEquality } from '../sources/test-source-index.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { idsIn, idsWithOutcome, resultsById } from './outcomes.ts';
import {
  ALL_SENSITIVITY_MUTATIONS,
  type RunMutated,
  SENSITIVITY_MUTATIONS,
  type SensitivityMutation,
} from './sensitivity.ts';

/** A test that notices one of these instead has not become weaker: the code fails now where it answered, or the other way round. */
const COMPENSATING_MUTATIONS = {
  'other value': ['other failure', 'no failure'],
  'other failure': ['other value', 'nothing'],
} as const satisfies Record<SensitivityMutation, readonly ReturnValueMutation[]>;

/**
 * Finds base tests that notice a mutation of the base's code, where on the new code neither they nor their replacements do. A test
 * whose text did not change is asked only where the patch changes what the code calls equal, which may accept more now.
 */
export async function findSensitivityRegressions(
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
