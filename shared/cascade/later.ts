import type { Attempt } from '../task/attempt.ts';
import type { Task } from '../task/task.ts';
import { passes } from './remedies.ts';

/** Seconds of the first wait where the provider names no time; each further one is twice as long. */
const FIRST_SECONDS = 5;
/** Longest wait in seconds that we choose ourselves. */
const LONGEST_SECONDS = 300;

function hasToWait({ report }: Attempt): boolean {
  return !!report?.failure_class && passes(report.failure_class);
}

/**
 * Until when the next attempt waits, because the provider of the last one could not do it then: as long as it asked for, else longer with
 * each time in a row. Null: it need not wait. Derived from what is written down, so that it is the same whoever asks.
 */
export function notBefore({ attempts }: Pick<Task, 'attempts'>): Date | null {
  const last = attempts.at(-1);
  if (!last?.report || last.decision?.action !== 'retry' || !hasToWait(last)) return null;
  const before = attempts.findLastIndex((attempt) => !hasToWait(attempt));
  const inARow = attempts.length - 1 - before;
  const own = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (inARow - 1));
  return new Date(Date.parse(last.decision.at) + (last.report.retry_after_s ?? own) * 1_000);
}
