import type { GateFinding } from '../../../core/gate-finding.ts';
import { createExperimentFinding, type ExperimentInput } from '../engine/experiment.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import { writeTreeWithStubbedFunctions } from '../perturbations/rewrite-functions.ts';

/** Folders of what a build makes of the sources. Where they are committed, tests may run them instead. */
const BUILD_OUTPUT = /(?:^|\/)(?:dist|build|out|_build|target)\//;

/**
 * Raises an alarm where all tests pass although every function of the sources fails: they run other code, such as a built copy or an installed
 * package, and no change of this tree could be noticed.
 */
export async function findUnexecutedCode({
  subject,
  run,
  runTests,
}: Pick<ExperimentInput, 'subject' | 'run' | 'runTests'>): Promise<GateFinding[]> {
  const failing = await writeTreeWithStubbedFunctions(subject, subject.tree, 'breaks', (path) =>
    BUILD_OUTPUT.test(path),
  );
  if (failing === null) return [];
  const { outcome } = await runTests(failing, {
    limitMs: computeMutantTimeLimitMs(run),
    stopsAtFirstFailure: true,
  });
  return outcome === 'passed'
    ? [createExperimentFinding({ file: null, severity: 'warning', cause: { rule: 'run_code_not_executed' } })]
    : [];
}
