import type { GateFinding } from '../../../core/gate-finding.ts';
import type { Experiment } from '../engine/experiment.ts';
import {
  type ExpectedTestChanges,
  severityOfChange,
  severityOfLostProtection,
} from '../engine/experiment-context.ts';
import { testFinding } from '../engine/findings.ts';
import type { LostTest } from '../sources/test-inventory-diff.ts';
import { removedSubjectOf, type TestSourceIndex } from '../sources/test-source-index.ts';

/** Compares the tests that ran on the base with those that ran with the patch, by name. */
export const testInventory: Experiment = {
  id: 'test_inventory',
  tree: 'both',
  tests: 'none',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: ({ inventory }) => inventory.diff.lost.length > 0,
  run: async ({ inventory: { diff, sources }, expected }) => ({
    findings: diff.lost.map((each) => lostTestFinding(each, expected, sources)),
    facts: {},
  }),
};

function lostTestFinding(
  { test, reason }: LostTest,
  expected: ExpectedTestChanges,
  sources: TestSourceIndex,
): GateFinding {
  const subject = reason === 'skipped' ? null : removedSubjectOf(test, sources);
  if (subject !== null)
    return testFinding(test, { rule: 'run_test_gone_with_subject', subject }, severityOfChange(expected));
  const rule = reason === 'skipped' ? 'run_test_skipped' : 'run_test_lost';
  return testFinding(test, { rule }, severityOfLostProtection(expected, 'tests_change'));
}
