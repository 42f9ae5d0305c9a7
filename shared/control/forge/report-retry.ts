import * as z from 'zod';

/** A report to a forge that is tried again later. */
export const ReportRetry = z.object({
  task_id: z.string(),
  /** How often it has failed. */
  failures: z.number().int().positive(),
  first_failure_at: z.iso.datetime(),
  due_at: z.iso.datetime(),
});
export type ReportRetry = z.infer<typeof ReportRetry>;

/** A report is given up after this time. */
const PATIENCE_SECONDS = 6 * 3_600;
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 3_600;
/** Longest that SQS keeps a message back. */
const MAX_DELAY_SECONDS = 900;

/**
 * Returns when a report is tried again that has failed now, or null if it is given up. Waits as long as the forge says, and at least a minute,
 * twice as long each time: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
 * @param retryAfterSeconds what the forge says; null: nothing
 * @param earlier the retry that has failed; null: it was the first try
 */
export function nextReportRetry(
  task_id: string,
  retryAfterSeconds: number | null,
  earlier: ReportRetry | null,
  now: Date,
): ReportRetry | null {
  const failures = (earlier?.failures ?? 0) + 1;
  const backoff = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(failures - 1, 10));
  const due = now.getTime() + Math.max(backoff, retryAfterSeconds ?? 0) * 1_000;
  const first_failure_at = earlier?.first_failure_at ?? now.toISOString();
  return due - Date.parse(first_failure_at) > PATIENCE_SECONDS * 1_000
    ? null
    : { task_id, failures, first_failure_at, due_at: new Date(due).toISOString() };
}

/** Returns for how long the message of a retry is kept back: until it is due, or as long as SQS does. */
export const retryDelaySeconds = ({ due_at }: ReportRetry, now: Date): number =>
  Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((Date.parse(due_at) - now.getTime()) / 1_000)));
