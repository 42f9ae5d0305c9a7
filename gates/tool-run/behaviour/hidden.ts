import type { Seen } from '../../code/seen.ts';
import { ranIn } from '../../reports/report.ts';
import type { Execution } from '../execution.ts';

/**
 * What hidden tests say. No name, no message and no line of theirs goes into the evidence: the next attempt is told how many fail, and
 * could learn them by heart otherwise.
 */
export function hiddenResult({ outcome, cases }: Pick<Execution, 'outcome' | 'cases'>): Seen | null {
  const finding = { file: null, line: null, rule: 'hidden_tests' } as const;
  const ran = cases === null ? null : ranIn(cases);
  const failed = cases === null ? null : cases.filter((test) => test.outcome === 'failed').length;
  if (outcome === 'passed' && ran === 0)
    return { ...finding, message: 'hidden tests: none of them ran', weight: 'unclear' };
  if (outcome === 'passed' && (failed ?? 0) === 0) return null;
  if (outcome === 'passed' || outcome === 'failed')
    return {
      ...finding,
      message:
        ran === null || failed === 0 ? 'hidden tests: they fail' : `hidden tests: ${failed} of ${ran} fail`,
      weight: 'fails',
    };
  return { ...finding, message: `hidden tests: could not run (${outcome})`, weight: 'unclear' };
}
