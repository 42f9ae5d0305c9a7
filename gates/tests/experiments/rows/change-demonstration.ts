import { isTestPath } from '../../../core/test-paths.ts';
import { idsIn, idsWithOutcome, resultsById } from '../../../core/test-result.ts';
import type { Experiment, ExperimentContext } from '../engine/experiment.ts';
import { mutantTimeLimitMs } from '../perturbations/mutants.ts';
import { listTouchedTests, treeOfPatchTestsOnOldCode } from '../trees/changed-tests.ts';

/** Looks for a test that fails on the base and passes on the patched tree: nothing else shows that behaviour has changed. */
export const changeDemonstration: Experiment = {
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

async function isDemonstrated({ subject, run, runTests, inventory }: ExperimentContext): Promise<boolean> {
  const passesNow = idsIn(run.cases, 'passed');
  const failedOnBase = idsWithOutcome(resultsById(inventory.baseline?.cases ?? null), 'failed');
  if ([...failedOnBase].some((id) => passesNow.has(id))) return true;
  if (inventory.baseline?.outcome === 'failed' && inventory.baseline.cases === null) return true;
  if ((await listTouchedTests(subject)).length === 0) return false;
  const tree = await treeOfPatchTestsOnOldCode(subject, inventory.changedTests);
  const { cases, outcome } = await runTests(tree, { limitMs: mutantTimeLimitMs(run) });
  if (cases === null) return outcome === 'failed';
  // A test that cannot be loaded with the old code fails under another name.
  return [...idsIn(cases, 'failed')].some((id) => passesNow.has(id) || !failedOnBase.has(id));
}
