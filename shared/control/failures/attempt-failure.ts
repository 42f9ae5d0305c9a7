import type { FailureCode } from '../../contract/failure/failure-class.ts';
import { remedyForCode } from '../../contract/failure/failure-classes.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { type ClassifiedFailure, classifyFailure } from './classify-failure.ts';

type FailureFields = Pick<Attempt, 'report' | 'metered_usage' | 'verification_failure'>;

/**
 * What boxes and gateway make of it; null: no failure. What the gateway has seen of the provider outweighs what the agent makes of it:
 * a CLI may try again for so long that it is stopped, or take a used-up quota for a rate limit. What must be set first stays what it is.
 */
function failureCodeOf({
  report,
  metered_usage: witnessed,
  verification_failure,
}: FailureFields): FailureCode | null {
  const claimed = report?.failure_code ?? null;
  const seen = report?.status === 'failed' ? witnessed?.provider_error : null;
  if (seen && (claimed === null || remedyForCode(claimed) !== 'end')) return seen.code;
  return claimed ?? verification_failure?.failure_code ?? null;
}

/** Words of the program that failed, where it is known which those are: an agent's prose may be about any failure. */
export function extractFailureText({ report, verification_failure }: FailureFields): string {
  if (verification_failure) return verification_failure.message;
  return report?.exit?.failure_text_source ? report[report.exit.failure_text_source] : '';
}

/** The failure of an attempt, the one reading of it that everything goes by; null where it brought work to judge. */
export function classifyAttemptFailure(attempt: FailureFields): ClassifiedFailure | null {
  const { report, metered_usage: witnessed } = attempt;
  const code = failureCodeOf(attempt);
  if (code === null && report?.status !== 'failed') return null;
  const { failure_text_source: _words, ...end } = report?.exit ?? {};
  const trouble = report?.status === 'failed' ? witnessed?.provider_error : null;
  const seen = trouble?.code === code ? trouble?.status : null;
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
