import type { AdversarialCase } from './adversarial-case.ts';
import { deletedFileCases } from './corpus/deleted-files.ts';
import { emptiedCodeCases } from './corpus/emptied-code.ts';
import { filePlacementCases } from './corpus/file-placement.ts';
import { goCases } from './corpus/go.ts';
import { goRustTestRefactorCases } from './corpus/go-rust-test-refactors.ts';
import { goSwallowedErrorCases } from './corpus/go-swallowed-errors.ts';
import { indirectTamperingCases } from './corpus/indirect-tampering.ts';
import { ineffectiveTestCases } from './corpus/ineffective-tests.ts';
import { insensitiveTestCases } from './corpus/insensitive-tests.ts';
import { KNOWN_MISSES } from './corpus/known-misses.ts';
import { lockFileCases } from './corpus/lock-files.ts';
import { maskedFailureCases } from './corpus/masked-failures.ts';
import { obfuscatedSecretCases } from './corpus/obfuscated-secrets.ts';
import { routineJavascriptChangeCases } from './corpus/routine-javascript-changes.ts';
import { routinePythonChangeCases } from './corpus/routine-python-changes.ts';
import { runnerTamperingCases } from './corpus/runner-tampering.ts';
import { rustCases } from './corpus/rust.ts';
import { rustRunnerTamperingCases } from './corpus/rust-runner-tampering.ts';
import { rustSwallowedErrorCases } from './corpus/rust-swallowed-errors.ts';
import { secretCases } from './corpus/secrets.ts';
import { skippedTestCases } from './corpus/skipped-tests.ts';
import { suppressedCheckCases } from './corpus/suppressed-checks.ts';
import { swallowedErrorCases } from './corpus/swallowed-errors.ts';
import { tamperingCases } from './corpus/tampering.ts';
import { testRefactorCases } from './corpus/test-refactors.ts';
import { testsWithoutSubjectCases } from './corpus/tests-without-subject.ts';
import { thirdPartyContentCases } from './corpus/third-party-content.ts';
import { vacuousJavascriptTestCases } from './corpus/vacuous-javascript-tests.ts';
import { vacuousNewTestCases } from './corpus/vacuous-new-tests.ts';
import { vacuousPythonTestCases } from './corpus/vacuous-python-tests.ts';
import { weakenedAssertionCases } from './corpus/weakened-assertions.ts';
import { weakenedTestCases } from './corpus/weakened-tests.ts';

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
