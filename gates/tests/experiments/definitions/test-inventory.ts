import type { GateFinding } from '../../../core/gate-finding.ts';
import { countTestsRun } from '../../../reports/tool-report.ts';
import type { BaselineResult } from '../../comparing/baseline-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import {
  createTestCaseFinding,
  type ExpectedTestChangeSet,
  getLostTestCoverageSeverity,
  getTestChangeSeverity,
  type TestExperiment,
} from '../engine/experiment.ts';
import type { MissingEvidenceReason } from '../engine/finding-causes.ts';
import type { UnreplacedBaseTest } from '../sources/test-inventory-diff.ts';
import { findRemovedTestSubject, type TestSourceIndex } from '../sources/test-source-index.ts';

/** Compares the tests that ran on the base with those that ran with the patch, by name. */
export const testInventoryExperiment: TestExperiment = {
  id: 'test_inventory',
  evidence: 'required',
  tree: 'both',
  tests: 'none',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: () => true,
  run: async ({ run, inventory: { diff, sources, baseline }, expected }) => {
    const missing = missingInventory(run, baseline);
    return {
      findings: diff.lost.map((each) => lostTestFinding(each, expected, sources)),
      facts: {},
      ...(missing === null ? {} : { missing }),
    };
  },
};

/**
 * Returns why what ran cannot be compared, or null. A base that fails, or cannot start its command, without naming tests has none that
 * could be lost; one that had no time, or no memory, may have.
 */
function missingInventory(
  run: CompletedCommandRun,
  baseline: BaselineResult | null,
): MissingEvidenceReason | null {
  if (baseline === null) return null;
  const { outcome, detail } = baseline;
  if (outcome === 'timed_out' || outcome === 'infra_failed')
    return { code: 'base_incomplete', outcome, detail };
  const baseTests = baseline.cases === null ? 0 : countTestsRun(baseline.cases);
  return run.cases === null && baseTests > 0
    ? { code: 'no_tests_named', baseTests, problem: run.reportProblem ?? null }
    : null;
}

function lostTestFinding(
  { test, reason }: UnreplacedBaseTest,
  expected: ExpectedTestChangeSet,
  sources: TestSourceIndex,
): GateFinding {
  const subject = reason === 'skipped' ? null : findRemovedTestSubject(test, sources);
  if (subject !== null)
    return createTestCaseFinding(
      test,
      { rule: 'run_test_gone_with_subject', subject },
      getTestChangeSeverity(expected),
    );
  const rule = reason === 'skipped' ? 'run_test_skipped' : 'run_test_lost';
  return createTestCaseFinding(test, { rule }, getLostTestCoverageSeverity(expected, 'tests_change'));
}
