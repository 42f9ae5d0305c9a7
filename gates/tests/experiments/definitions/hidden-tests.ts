import type { HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import { countTestsRun } from '../../../reports/tool-report.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import type { TestExperiment } from '../engine/experiment.ts';
import { writeTreeWithHiddenTests } from '../trees/changed-tests.ts';

/** Runs the tests that only the gates container has on the patch. */
export const hiddenTestsExperiment: TestExperiment = {
  id: 'hidden_tests',
  evidence: 'required',
  tree: 'patch',
  tests: 'hidden',
  perturbation: 'none',
  needs: [],
  when: 'always',
  applies: ({ hidden }) => hidden !== null,
  run: async ({ subject, hidden, language, runTests }) => {
    const run = await subject.sandboxes
      .withPrivateTree(
        (store) => writeTreeWithHiddenTests(store, subject, hidden ?? []),
        (tree) => runTests(tree, { limitMs: Number.POSITIVE_INFINITY }),
      )
      // The message of an error may name a hidden file.
      .catch(
        (): Pick<CompletedCommandRun, 'outcome' | 'cases'> => ({ outcome: 'infra_failed', cases: null }),
      );
    return { findings: [], facts: {}, hidden: summarizeHiddenTestRun(run, language) };
  },
};

/** Summarizes a run of hidden tests. Of what it printed and reported, only numbers are handed on. */
export function summarizeHiddenTestRun(
  { outcome, cases }: Pick<CompletedCommandRun, 'outcome' | 'cases'>,
  language: Language | null,
): HiddenTestsResult {
  const ran = cases === null ? null : countTestsRun(cases);
  const failed = cases === null ? null : cases.filter((test) => test.outcome === 'failed').length;
  const said = (now: HiddenTestsResult['outcome'], detail: string): HiddenTestsResult => ({
    outcome: now,
    ran,
    failed,
    detail: `hidden tests: ${detail}`,
    language,
  });
  if (outcome === 'passed' && ran === 0) return said('could_not_run', 'none of them ran');
  if (outcome === 'passed' && !failed)
    return said('passed', ran === null ? 'they pass; no report says how many there are' : `${ran} pass`);
  if (outcome === 'passed' || outcome === 'failed')
    return said('failed', ran === null || !failed ? 'they fail' : `${failed} of ${ran} fail`);
  return said('could_not_run', `could not run (${outcome})`);
}
