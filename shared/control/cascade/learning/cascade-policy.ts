import * as z from 'zod';
import { Budgets } from '../../../contract/models/budgets.ts';
import { TuningLevel } from './tuning-level.ts';

export const TIER_POLICIES = ['fixed', 'greedy', 'thompson'] as const;
export const TierPolicy = z.enum(TIER_POLICIES);
export type TierPolicy = z.infer<typeof TierPolicy>;

/** The seed's numbers. */
export const DEFAULT_EPSILON = 0.1;
export const DEFAULT_MIN_OBSERVATIONS = 5;
export const DEFAULT_QUALITY_THRESHOLD = 0.8;

/** How the cascade chooses where to begin, as a deployment is configured. */
export const CascadePolicy = z.strictObject({
  policy: TierPolicy.default('fixed').describe(
    'fixed: by the routing table. greedy: skips a tier that has failed too often, and at times tries any. thompson: begins where it is likely to cost least in the end.',
  ),
  epsilon: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_EPSILON)
    .describe('greedy: how often any tier is tried, as a share.'),
  min_observations: z
    .int()
    .min(1)
    .max(50)
    .default(DEFAULT_MIN_OBSERVATIONS)
    .describe('With fewer outcomes nothing is concluded from them.'),
  quality_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_QUALITY_THRESHOLD)
    .describe('greedy: a tier that passes less often is skipped.'),
  tuning_level: TuningLevel.default('L0').describe(
    'How far the deployment changes its own settings. L0: it proposes, a person applies thresholds. L1: thresholds and prompts apply themselves when their test holds. L2: routes, L3: what gates are required to, each by a person.',
  ),
  budgets: Budgets.optional().describe(
    'What may go to models; an attempt that could exceed it is not started.',
  ),
});
export type CascadePolicy = z.infer<typeof CascadePolicy>;
export const DEFAULT_CASCADE_POLICY: CascadePolicy = CascadePolicy.parse({});
