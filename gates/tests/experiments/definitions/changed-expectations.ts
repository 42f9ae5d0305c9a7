import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId } from '../../../core/test-result.ts';
import {
  type BaseFailureAssessment,
  type BaseTestFailure,
  createTestCaseFinding,
  type ExperimentInput,
  getLostTestCoverageSeverity,
  getTestChangeSeverity,
  isBaseTestFailureReason,
  type TestExperiment,
} from '../engine/experiment.ts';
import type { ChangedTestLines } from '../engine/finding-causes.ts';
import {
  computeKeptTestValueShare,
  findRemovedTestSubject,
  type TestCaseSource,
} from '../sources/test-source-index.ts';
import { findPatchVersionOfTest } from './base-tests.ts';

/** From what share of its values on a test under another name is the same test with another expectation. */
const MIN_SHARED_VALUES = 0.5;
/** Most lines that are shown of each version. */
const MAX_SHOWN_LINES = 4;

/** Concludes from what the other experiments say: which base tests that fail need review, and which are changed expectations. */
export const changedExpectationsExperiment: TestExperiment = {
  id: 'changed_expectations',
  evidence: 'conclusion',
  tree: 'patch',
  tests: 'none',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: ({ failures }) => failures.size > 0,
  run: async (context) => {
    const unexplained = new Set(findUnexplainedBaseTestFailures(context));
    return {
      findings: [...context.failures].map(([failure, judgement]) =>
        failureFinding(
          failure,
          judgement ?? (unexplained.has(failure) ? judgeReplacement(failure, context) : null),
          context,
        ),
      ),
      facts: {},
    };
  },
};

/** Failures that nothing explains so far; none where another one needs review, since that decides already. */
export function findUnexplainedBaseTestFailures({
  failures,
  inventory: { sources },
}: Pick<ExperimentInput, 'failures' | 'inventory'>): readonly BaseTestFailure[] {
  if ([...failures.values()].some(isBaseTestFailureReason)) return [];
  return [...failures].flatMap(([failure, judgement]) =>
    judgement?.code !== 'as_strong' && findRemovedTestSubject(failure.test, sources) === null
      ? [failure]
      : [],
  );
}

/** Whether the test that took its place tests other values. */
function judgeReplacement(
  { test }: BaseTestFailure,
  { inventory: { diff, sources } }: ExperimentInput,
): BaseFailureAssessment {
  const replacement = diff.replacements.get(computeTestId(test));
  const [before, after] = [sources.inBase(test), replacement ? sources.inPatch(replacement) : null];
  if (before === null || after === null || after.name === before.name) return null;
  return computeKeptTestValueShare(before, after) < MIN_SHARED_VALUES
    ? { code: 'replaced_by_other_values', replacement: after.name }
    : null;
}

function failureFinding(
  { test }: BaseTestFailure,
  judgement: BaseFailureAssessment,
  context: ExperimentInput,
): GateFinding {
  const { expected, inventory } = context;
  const before = inventory.sources.inBase(test);
  const changed = changedLines(before, inventory.sources.inPatch(findPatchVersionOfTest(test, context)));
  return isBaseTestFailureReason(judgement)
    ? createTestCaseFinding(
        test,
        { rule: 'run_old_test_fails', reason: judgement, changed },
        getLostTestCoverageSeverity(expected, 'expectations_change'),
        before?.line,
      )
    : createTestCaseFinding(
        test,
        { rule: 'run_expectation_changed', changed },
        getTestChangeSeverity(expected),
        before?.line,
      );
}

/** The old expectation beside the new one; null where the two do not differ, or one cannot be read. */
function changedLines(before: TestCaseSource | null, after: TestCaseSource | null): ChangedTestLines | null {
  if (before === null || after === null) return null;
  const lines = ({ text }: TestCaseSource): string[] => text.split('\n').map((line) => line.trim());
  const [then, now] = [lines(before), lines(after)];
  const only = (these: readonly string[], those: readonly string[]): string =>
    these
      .filter((line) => line !== '' && !those.includes(line))
      .slice(0, MAX_SHOWN_LINES)
      .join(' ');
  const changed = { before: only(then, now), now: only(now, then) };
  return changed.before === '' && changed.now === '' ? null : changed;
}
