import type { Experiment } from './engine/experiment.ts';
import { baseTests } from './rows/base-tests.ts';
import { changeDemonstration } from './rows/change-demonstration.ts';
import { changedExpectations } from './rows/changed-expectations.ts';
import { hiddenTests } from './rows/hidden-tests.ts';
import { hunkBisection } from './rows/hunk-bisection.ts';
import { mutationScoreRegression } from './rows/mutation-score-regression.ts';
import { mutationThreshold } from './rows/mutation-threshold.ts';
import { patchTestsOnOldCode, rewrittenTests } from './rows/patch-tests-on-old-code.ts';
import { perturbedEnvironment } from './rows/perturbed-environment.ts';
import { hardCodedAnswers, valueReplay } from './rows/recorded-answers.ts';
import { returnValueMutation } from './rows/return-value-mutation.ts';
import { testInventory } from './rows/test-inventory.ts';
import { vacuousTests } from './rows/vacuous-tests.ts';

/**
 * All experiments, in the order in which they run: required evidence first, then what decides most for the fewest runs. The cost is
 * in runs of a part of the suite; `C` is the number of changed cases whose file cannot be loaded, `M` the setting `mutants.at_most`.
 */
export const EXPERIMENTS: readonly Experiment[] = [
  hiddenTests, // 1 run; can fail the patch by itself
  testInventory, // none: compares two runs that are there
  baseTests, // 1 run, and up to 8 + C; most evasions end here
  patchTestsOnOldCode, // 1 run, and up to C. Only for failures of base tests
  rewrittenTests, // up to 2 M + 1 runs. Only for a test whose new version passes on both codes
  hunkBisection, // up to 8 hunks of 1 to 3 runs. Only for failures that nothing explains
  valueReplay, // 3 to 4 runs. Only for failures that nothing explains
  changedExpectations, // none: concludes from the five before it
  changeDemonstration, // 1 run, only for a task that asks for other behaviour
  perturbedEnvironment, // 1 run, 2 where it differs
  vacuousTests, // 1 run, up to 5 where a test passes on stubs
  returnValueMutation, // 2 to 10 runs
  hardCodedAnswers, // 2 runs
  mutationScoreRegression, // up to 3 M runs
  mutationThreshold, // up to M runs
];
