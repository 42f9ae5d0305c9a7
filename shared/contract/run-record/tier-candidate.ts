import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { Tier } from '../agents/tiers.ts';

/** What was thought of a tier when it was chosen or left. */
export const TierCandidate = z.object({
  tier: Tier,
  /** Attempts that it was learned from. */
  observations: z.int().nonnegative(),
  /** Null without observations. */
  pass_rate: StorableNumber.nullable(),
  /** Where the share of passes lies, at 90 %. */
  pass_rate_90: z.object({ low: StorableNumber, high: StorableNumber }),
  /** US dollars that an attempt is expected to cost; null: not known. */
  cost_usd: StorableNumber.nullable(),
  /** The pass rate from which on trying it pays; null where nothing follows it, or a cost is unknown. */
  break_even_pass_rate: StorableNumber.nullable(),
  /** What the policy held the pass rate for this time: drawn by `thompson`. */
  sampled_pass_rate: StorableNumber.nullable(),
});
export type TierCandidate = z.infer<typeof TierCandidate>;
