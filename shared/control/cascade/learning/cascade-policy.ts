import * as z from 'zod';
import { Budgets } from '../../../contract/models/budgets.ts';
import { SelfTuningLevel } from './tuning-level.ts';

export const TIER_CHOICE_POLICIES = ['fixed', 'greedy', 'thompson'] as const;
export const TierChoicePolicy = z.enum(TIER_CHOICE_POLICIES);
export type TierChoicePolicy = z.infer<typeof TierChoicePolicy>;

/** The seed's numbers. */
export const DEFAULT_EXPLORATION_RATE = 0.1;
export const DEFAULT_MIN_OBSERVATIONS = 5;
export const DEFAULT_QUALITY_THRESHOLD = 0.8;

/** How the cascade chooses where to begin, as a deployment is configured. */
export const TierPolicySettings = z.strictObject({
  policy: TierChoicePolicy.default('fixed').describe(
    'fixed: by the routing table. greedy: skips a tier that fails too often, and sometimes tries any. thompson: starts where the expected cost is lowest.',
  ),
  epsilon: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_EXPLORATION_RATE)
    .describe('greedy: share of tasks that try any tier.'),
  min_observations: z
    .int()
    .min(1)
    .max(50)
    .default(DEFAULT_MIN_OBSERVATIONS)
    .describe('Minimum number of outcomes before they count.'),
  quality_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_QUALITY_THRESHOLD)
    .describe('greedy: minimum pass rate of a tier; others are skipped.'),
  tuning_level: SelfTuningLevel.default('L0').describe(
    'How far the deployment changes its own settings. L0: it proposes, an operator applies. L1: thresholds and prompts apply themselves when their test passes. L2: routes, L3: which gates are required, each applied by an operator.',
  ),
  budgets: Budgets.optional().describe(
    'Budget for models in dollars; an attempt that could exceed it is not started.',
  ),
});
export type TierPolicySettings = z.infer<typeof TierPolicySettings>;
export const DEFAULT_TIER_POLICY_SETTINGS: TierPolicySettings = TierPolicySettings.parse({});
