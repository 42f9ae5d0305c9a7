/** Seconds until a failed delivery is tried again, by the number of attempts; the last one holds for all further ones. */
const RETRY_SECONDS = [2, 30, 300, 1_800, 7_200, 18_000, 36_000] as const;
/** A message stays invisible for 12 hours at most, counted from its receipt. */
const MAX_SECONDS = 43_000;

/** Attempts of one delivery before it becomes a dead letter: about 18 hours. */
export const MAX_NOTICE_ATTEMPTS = RETRY_SECONDS.length + 1;

/**
 * Returns the seconds until the next attempt. @param attempts made so far, 1 and more
 * @param retryAfter what the server asked for, in seconds
 */
export function noticeRetrySeconds(attempts: number, retryAfter: number | null): number {
  const usual = RETRY_SECONDS[Math.min(attempts, RETRY_SECONDS.length) - 1] ?? RETRY_SECONDS[0];
  return Math.min(MAX_SECONDS, Math.max(usual, Math.ceil(retryAfter ?? 0)));
}
