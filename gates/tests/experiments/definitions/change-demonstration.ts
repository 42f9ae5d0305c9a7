import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { getPathInBase } from '../../../../workspace/git/file-changes.ts';
import { computeTestId, indexTestResultsById, type TestResult } from '../../../core/test-result.ts';
import type { ExperimentInput, TestExperiment } from '../engine/experiment.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import { listTestFilesInPatch, writeBaseTreeWithChangedPatchTests } from '../trees/changed-tests.ts';

/** Looks for a test that fails on the base and passes on the patched tree: nothing else shows that behaviour has changed. */
export const changeDemonstrationExperiment: TestExperiment = {
  id: 'change_demonstration',
  evidence: 'optional',
  tree: 'base',
  tests: 'patch_version',
  perturbation: 'none',
  needs: [],
  when: 'undecided',
  applies: ({ subject, settings }) =>
    settings !== null &&
    settings.changeDemonstration !== 'off' &&
    subject.changes.some(({ path }) => !isTestPath(path)),
  run: async (context) => ({
    findings: [],
    facts: {
      change_demonstrated: (await isDemonstrated(context)) ? 'yes' : 'no',
      change_demonstration: context.settings?.changeDemonstration ?? 'advise',
    },
  }),
};

async function isDemonstrated({ subject, run, runTests, inventory }: ExperimentInput): Promise<boolean> {
  const { baseline, changedTests } = inventory;
  const changedPaths = new Set(subject.changes.map(getPathInBase));
  const isUnchanged = ({ file }: TestResult): boolean =>
    file === null ? changedTests === null : !changedPaths.has(file);
  if (hasFixedFailure(baseline?.cases ?? null, run.cases, isUnchanged)) return true;
  if (baseline?.outcome === 'failed' && baseline.cases === null) return true;
  if ((await listTestFilesInPatch(subject)).length === 0) return false;
  const tree = await writeBaseTreeWithChangedPatchTests(subject, changedTests);
  const { cases, outcome } = await runTests(tree, { limitMs: computeMutantTimeLimitMs(run) });
  return cases === null ? outcome === 'failed' : hasFixedFailure(cases, run.cases, () => true);
}

/**
 * Whether a failure on the old code is none with the patch. A file that cannot be loaded fails under a name that no test has once it is
 * loaded: such a failure counts where the file is the same in both trees.
 */
function hasFixedFailure(
  onOldCode: readonly TestResult[] | null,
  withPatch: readonly TestResult[] | null,
  isSameInBoth: (failure: TestResult) => boolean,
): boolean {
  const now = indexTestResultsById(withPatch);
  return (onOldCode ?? []).some((test) => {
    const outcome = now.get(computeTestId(test))?.outcome;
    return test.outcome === 'failed' && (outcome === undefined ? isSameInBoth(test) : outcome === 'passed');
  });
}
