import * as z from 'zod';

/** What becomes of work that no person has decided about in time; nothing lets it out. */
export const HOLD_EXPIRY_OUTCOMES = ['fail', 'reject'] as const;

/** How long a person has to decide, and what happens then: the task ends, or the work is refused and a stronger model tries. */
export const HoldLimit = z.strictObject({
  days: z.number().positive().max(3_650),
  outcome: z.enum(HOLD_EXPIRY_OUTCOMES),
});
export type HoldLimit = z.infer<typeof HoldLimit>;

export const DEFAULT_HOLD_LIMIT: HoldLimit = { days: 14, outcome: 'fail' };

/** When a hold that begins now ends. */
export const holdExpiry = (
  now: Date,
  { days, outcome }: HoldLimit,
): { until: string; outcome: HoldLimit['outcome'] } => ({
  until: new Date(now.getTime() + days * 86_400_000).toISOString(),
  outcome,
});
