import type { Attempt, FailureClass } from '../task/attempt.ts';
import { passes, REMEDIES } from './remedies.ts';

/**
 * Why an attempt failed; null when it did not. What the gateway has seen of the provider outweighs what the agent makes of it: a CLI may
 * try again for so long that it is stopped, or take a used-up quota for a rate limit. What must be set first stays what it is.
 */
export function failureClassOf({
  report,
  witnessed,
  verification_failure,
}: Pick<Attempt, 'report' | 'witnessed' | 'verification_failure'>): FailureClass | null {
  const claimed = report?.failure_class ?? null;
  const seen = report?.status === 'failed' ? witnessed?.trouble : null;
  if (seen && (claimed === null || REMEDIES[claimed] !== 'end')) return seen.class;
  return claimed ?? verification_failure?.failure_class ?? null;
}

/** Did it end at a provider that could not do it then, which passes by itself? */
export function wasTransient(attempt: Attempt): boolean {
  const of = attempt.report && failureClassOf(attempt);
  return !!of && passes(of);
}
