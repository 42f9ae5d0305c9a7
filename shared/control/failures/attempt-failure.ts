import type { FailureCode } from '../../contract/failure/failure-class.ts';
import { remedyForCode } from '../../contract/failure/failure-classes.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { type ClassifiedFailure, classifyFailure } from './classify-failure.ts';

type FailureFields = Pick<Attempt, 'report' | 'witnessed' | 'verification_failure'>;

/**
 * What boxes and gateway make of it; null: no failure. What the gateway has seen of the provider outweighs what the agent makes of it:
 * a CLI may try again for so long that it is stopped, or take a used-up quota for a rate limit. What must be set first stays what it is.
 */
function failureCodeOf({ report, witnessed, verification_failure }: FailureFields): FailureCode | null {
  const claimed = report?.failure_class ?? null;
  const seen = report?.status === 'failed' ? witnessed?.trouble : null;
  if (seen && (claimed === null || remedyForCode(claimed) !== 'end')) return seen.class;
  return claimed ?? verification_failure?.failure_class ?? null;
}

/** Words of the program that failed, where it is known which those are: an agent's prose may be about any failure. */
export function extractFailureText({ report, verification_failure }: FailureFields): string {
  if (verification_failure) return verification_failure.message;
  return report?.end?.words ? report[report.end.words] : '';
}

/** The failure of an attempt, the one reading of it that everything goes by; null where it brought work to judge. */
export function classifyAttemptFailure(attempt: FailureFields): ClassifiedFailure | null {
  const { report, witnessed } = attempt;
  const code = failureCodeOf(attempt);
  if (code === null && report?.status !== 'failed') return null;
  const { words: _words, ...end } = report?.end ?? {};
  const trouble = report?.status === 'failed' ? witnessed?.trouble : null;
  const seen = trouble?.class === code ? trouble?.status : null;
  return classifyFailure({
    ...end,
    ...(seen != null && { http_status: seen }),
    code,
    text: extractFailureText(attempt),
  });
}

/** Did it end at a provider that could not do it then, which passes by itself? */
export const hasTransientFailure = (attempt: Attempt): boolean =>
  attempt.report !== null && classifyAttemptFailure(attempt)?.remedy === 'later';
