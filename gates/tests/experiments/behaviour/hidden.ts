import type { HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import { countTestsRun } from '../../../reports/tool-report.ts';
import type { CommandRun } from '../../running/command-run.ts';

/** What a run of hidden tests came to. Of what it printed and reported nothing is handed on but numbers. */
export function hiddenResult(
  { outcome, cases }: Pick<CommandRun, 'outcome' | 'cases'>,
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
  if (outcome === 'passed' && ran === 0) return said('inert', 'none of them ran');
  if (outcome === 'passed' && !failed)
    return said('passed', ran === null ? 'they pass; no report says how many there are' : `${ran} pass`);
  if (outcome === 'passed' || outcome === 'failed')
    return said('failed', ran === null || !failed ? 'they fail' : `${failed} of ${ran} fail`);
  return said('inert', `could not run (${outcome})`);
}
