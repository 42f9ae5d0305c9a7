import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { hasTransientFailure } from './attempt-failure.ts';

/** Seconds of the first wait where the provider names no time; each further one is twice as long. */
const FIRST_SECONDS = 5;
/** Longest wait in seconds that we choose ourselves. */
const LONGEST_SECONDS = 300;

/** When the provider wants to be asked again, as the gateway has seen it, else as the agent says it; null: nobody knows. */
export function providerRetryAt({
  report,
  metered_usage: witnessed,
}: Pick<Attempt, 'report' | 'metered_usage'>): number | null {
  const seen = witnessed?.provider_error?.retry_at;
  if (seen) return Date.parse(seen);
  return report?.retry_after_s ? Date.parse(report.at) + report.retry_after_s * 1_000 : null;
}

/**
 * Until when the next attempt waits, because the provider of the last one could not do it then: as long as it asked for, and longer with
 * each time in a row, whichever is more. Null: it need not wait. Derived from what is written down, so that it is the same whoever asks.
 */
export function retryNotBefore({ attempts }: Pick<Task, 'attempts'>): Date | null {
  const last = attempts.at(-1);
  if (!last?.report || last.decision?.action !== 'retry' || !hasTransientFailure(last)) return null;
  const before = attempts.findLastIndex((attempt) => !hasTransientFailure(attempt));
  const inARow = attempts.length - 1 - before;
  const own = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (inARow - 1));
  // A provider that names a second each time would use up all retries within some.
  return new Date(Math.max(Date.parse(last.decision.at) + own * 1_000, providerRetryAt(last) ?? 0));
}
