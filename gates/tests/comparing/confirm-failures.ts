import { collectTestIdsByOutcome, computeTestId } from '../../core/test-result.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import type { TestRunFinding } from './compare-tests.ts';
import type { PatchTestLookup } from './patch-tests.ts';

/** Most new failures for which the tests run again: where more fail, chance is not the cause. */
const MAX_FAILURES = 10;

export interface FailedTestRerunners {
  /** Run of the same tests on the same tree, in a fresh checkout. Null: there is no time for it. */
  readonly rerunPatch: () => Promise<CompletedCommandRun | null>;
  readonly rerunBase: () => Promise<CompletedCommandRun | null>;
}

/**
 * Runs the tests again before new failures decide. A test that passes this time is flaky: it is excused only where it fails on the base
 * too, and else a reviewer decides, because the patch may have made it so. A test that the patch touches is never excused.
 */
export async function confirmTestFailures(
  findings: readonly TestRunFinding[],
  patchTests: PatchTestLookup,
  { rerunPatch, rerunBase }: FailedTestRerunners,
): Promise<readonly TestRunFinding[]> {
  const isOpen = ({ severity, testCase }: TestRunFinding): boolean =>
    severity === 'error' && testCase !== null && !patchTests.isInTouchedFile(testCase);
  const open = findings.filter(isOpen);
  if (open.length === 0 || open.length > MAX_FAILURES) return findings;
  const passedAgain = collectTestIdsByOutcome((await rerunPatch())?.cases ?? null, 'passed');
  const flaky = open.filter(({ testCase }) => testCase && passedAgain.has(computeTestId(testCase)));
  if (flaky.length === 0) return findings;
  const failedOnBase = collectTestIdsByOutcome((await rerunBase())?.cases ?? null, 'failed');
  return findings.map((each): TestRunFinding => {
    if (!flaky.includes(each) || each.testCase === null) return each;
    const onBase = failedOnBase.has(computeTestId(each.testCase));
    const where = onBase ? 'it fails on the base now and then, too' : 'on the base it passed both times';
    const message = `${each.message}; flaky: it passed when it ran again on the same tree, and ${where}`;
    return { ...each, rule: 'flaky_test', message, severity: onBase ? 'info' : 'warning' };
  });
}
