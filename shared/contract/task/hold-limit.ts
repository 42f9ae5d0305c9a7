import * as z from 'zod';

/** What becomes of work that no person has decided about in time; nothing lets it out. */
export const REVIEW_HOLD_EXPIRY_OUTCOMES = ['fail', 'reject'] as const;

/** How long a person has to decide, and what happens then: the task ends, or the work is refused and a stronger model tries. */
export const ReviewHoldLimit = z.strictObject({
  days: z.number().positive().max(3_650),
  expiry_outcome: z.enum(REVIEW_HOLD_EXPIRY_OUTCOMES),
});
export type ReviewHoldLimit = z.infer<typeof ReviewHoldLimit>;

export const DEFAULT_REVIEW_HOLD_LIMIT: ReviewHoldLimit = { days: 14, expiry_outcome: 'fail' };

/** When a hold that begins now ends. */
export const computeReviewHoldExpiry = (
  now: Date,
  { days, expiry_outcome }: ReviewHoldLimit,
): { expires_at: string; expiry_outcome: ReviewHoldLimit['expiry_outcome'] } => ({
  expires_at: new Date(now.getTime() + days * 86_400_000).toISOString(),
  expiry_outcome,
});
