import type { FailureCode } from './failure-class.ts';

/** What an HTTP status of the model's provider means; null: nothing by itself. */
export function getFailureClassOfHttpStatus(status: number | null): FailureCode | null {
  if (status === null) return null;
  if (status === 401 || status === 403) return 'provider_auth';
  if (status === 402) return 'provider_spend_limit';
  if (status === 404) return 'model_invalid';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'provider_overloaded';
  return status >= 500 || status === 408 ? 'provider_transient' : null;
}
