import * as z from 'zod';

/** So many rejections in a row, and what a model brings is not marked any more. */
export const MAX_CONSECUTIVE_REJECTIONS = 5;
/** Seconds until it is tried once more. */
export const BREAKER_OPEN_SECONDS = 3_600;

/** How the quality gate has fared with what one model wrote. */
export const QualityGateCircuitBreaker = z.object({
  /** Attempts that were rejected in a row, the last ones. */
  rejected_attempts: z.array(z.string()).max(MAX_CONSECUTIVE_REJECTIONS),
  /** When the last verdict that counts was made. */
  last_result_at: z.iso.datetime(),
  opened_at: z.iso.datetime().nullable(),
});
export type QualityGateCircuitBreaker = z.infer<typeof QualityGateCircuitBreaker>;

/** One mark that a model gave to an attempt. */
export interface QualityGateResult {
  readonly id: string;
  readonly at: string;
  readonly passed: boolean;
}

/** The breaker after a mark; the same mark again, or an older one that comes late, changes nothing. */
export function recordQualityGateResult(
  breaker: QualityGateCircuitBreaker | null,
  { id, at, passed }: QualityGateResult,
): QualityGateCircuitBreaker {
  if (breaker && (at < breaker.last_result_at || breaker.rejected_attempts.includes(id))) return breaker;
  if (passed) return { rejected_attempts: [], last_result_at: at, opened_at: null };
  const rejected = [...(breaker?.rejected_attempts ?? []), id].slice(-MAX_CONSECUTIVE_REJECTIONS);
  return {
    rejected_attempts: rejected,
    last_result_at: at,
    opened_at: rejected.length >= MAX_CONSECUTIVE_REJECTIONS ? at : null,
  };
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/** `open`: nobody is asked. `half_open`: the time is over, and the next mark closes it or opens it again. */
export function determineBreakerState(
  breaker: QualityGateCircuitBreaker | null,
  now: Date,
): { state: BreakerState; until: string | null } {
  if (!breaker?.opened_at) return { state: 'closed', until: null };
  const until = Date.parse(breaker.opened_at) + BREAKER_OPEN_SECONDS * 1_000;
  return now.getTime() < until
    ? { state: 'open', until: new Date(until).toISOString() }
    : { state: 'half_open', until: null };
}
