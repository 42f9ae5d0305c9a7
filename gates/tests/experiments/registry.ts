import { baseTestsExperiment } from './definitions/base-tests.ts';
import { changeDemonstrationExperiment } from './definitions/change-demonstration.ts';
import { changedExpectationsExperiment } from './definitions/changed-expectations.ts';
import { hiddenTestsExperiment } from './definitions/hidden-tests.ts';
import { hunkBisectionExperiment } from './definitions/hunk-bisection.ts';
import { mutationScoreRegressionExperiment } from './definitions/mutation-score-regression.ts';
import { mutationThresholdExperiment } from './definitions/mutation-threshold.ts';
import {
  patchTestsOnBaseCodeExperiment,
  rewrittenTestsExperiment,
} from './definitions/patch-tests-on-old-code.ts';
import { perturbedEnvironmentExperiment } from './definitions/perturbed-environment.ts';
import { hardCodedAnswersExperiment, valueReplayExperiment } from './definitions/recorded-answers.ts';
import { returnValueMutationExperiment } from './definitions/return-value-mutation.ts';
import { testInventoryExperiment } from './definitions/test-inventory.ts';
import { vacuousTestsExperiment } from './definitions/vacuous-tests.ts';
import type { TestExperiment } from './engine/experiment.ts';

/**
 * All experiments, in the order in which they run: required evidence first, then what decides most for the fewest runs. The cost is
 * in runs of a part of the suite; `C` is the number of changed cases whose file cannot be loaded, `M` the setting `mutants.max_mutants`.
 */
export const TEST_EXPERIMENTS: readonly TestExperiment[] = [
  hiddenTestsExperiment, // 1 run; can fail the patch by itself
  testInventoryExperiment, // none: compares two runs that are there
  baseTestsExperiment, // 1 run, and up to 8 + C; most evasions end here
  patchTestsOnBaseCodeExperiment, // 1 run, and up to C. Only for failures of base tests
  rewrittenTestsExperiment, // up to 2 M + 1 runs. Only for a test whose new version passes on both codes
  hunkBisectionExperiment, // up to 8 hunks of 1 to 3 runs. Only for failures that nothing explains
  valueReplayExperiment, // 3 to 4 runs. Only for failures that nothing explains
  changedExpectationsExperiment, // none: concludes from the five before it
  changeDemonstrationExperiment, // 1 run, only for a task that asks for other behaviour
  perturbedEnvironmentExperiment, // 1 run, 2 where it differs
  vacuousTestsExperiment, // 1 run, up to 5 where a test passes on stubs
  returnValueMutationExperiment, // 2 to 10 runs
  hardCodedAnswersExperiment, // 2 runs
  mutationScoreRegressionExperiment, // up to 3 M runs
  mutationThresholdExperiment, // up to M runs
];
