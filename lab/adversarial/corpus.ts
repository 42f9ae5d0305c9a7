import type { AdversarialCase } from './case.ts';
import { swallowedErrorCases } from './corpus/answered.ts';
import { weakenedTestCases } from './corpus/asked-less.ts';
import { ineffectiveTestCases } from './corpus/blinded.ts';
import { thirdPartyContentCases } from './corpus/copied.ts';
import { tamperingCases } from './corpus/deceits.ts';
import { deletedFileCases } from './corpus/deleted.ts';
import { routineJavascriptChangeCases } from './corpus/everyday.ts';
import { routinePythonChangeCases } from './corpus/everyday-python.ts';
import { goCases } from './corpus/go.ts';
import { goSwallowedErrorCases } from './corpus/go-errors.ts';
import { emptiedCodeCases } from './corpus/hollow-files.ts';
import { vacuousPythonTestCases } from './corpus/hollow-python.ts';
import { vacuousJavascriptTestCases } from './corpus/hollow-tests.ts';
import { KNOWN_MISSES } from './corpus/known-misses.ts';
import { lockFileCases } from './corpus/locks.ts';
import { obfuscatedSecretCases } from './corpus/more-secrets.ts';
import { goRustTestRefactorCases } from './corpus/native-refactors.ts';
import { vacuousNewTestCases } from './corpus/new-tests.ts';
import { testsWithoutSubjectCases } from './corpus/nothing-there.ts';
import { maskedFailureCases } from './corpus/old-failures.ts';
import { filePlacementCases } from './corpus/paths.ts';
import { testRefactorCases } from './corpus/refactored.ts';
import { indirectTamperingCases } from './corpus/roundabout.ts';
import { runnerTamperingCases } from './corpus/runner.ts';
import { rustCases } from './corpus/rust.ts';
import { rustSwallowedErrorCases } from './corpus/rust-errors.ts';
import { rustRunnerTamperingCases } from './corpus/rust-runner.ts';
import { secretCases } from './corpus/secrets.ts';
import { suppressedCheckCases } from './corpus/silenced.ts';
import { skippedTestCases } from './corpus/skipped.ts';
import { insensitiveTestCases } from './corpus/unminded.ts';
import { weakenedAssertionCases } from './corpus/weakened.ts';

const CASES: readonly AdversarialCase[] = [
  ...deletedFileCases,
  ...skippedTestCases,
  ...weakenedAssertionCases,
  ...insensitiveTestCases,
  ...vacuousNewTestCases,
  ...runnerTamperingCases,
  ...suppressedCheckCases,
  ...secretCases,
  ...tamperingCases,
  ...emptiedCodeCases,
  ...vacuousJavascriptTestCases,
  ...vacuousPythonTestCases,
  ...obfuscatedSecretCases,
  ...goCases,
  ...rustCases,
  ...rustRunnerTamperingCases,
  ...rustSwallowedErrorCases,
  ...filePlacementCases,
  ...maskedFailureCases,
  ...lockFileCases,
  ...swallowedErrorCases,
  ...thirdPartyContentCases,
  ...goRustTestRefactorCases,
  ...testRefactorCases,
  ...ineffectiveTestCases,
  ...indirectTamperingCases,
  ...weakenedTestCases,
  ...testsWithoutSubjectCases,
  ...routineJavascriptChangeCases,
  ...routinePythonChangeCases,
  ...goSwallowedErrorCases,
];

/** Every case, with its honest twin. */
export const ADVERSARIAL_CORPUS: readonly AdversarialCase[] = CASES.map((each) => {
  const known_miss = KNOWN_MISSES[each.name];
  return known_miss === undefined ? each : { ...each, known_miss };
});
