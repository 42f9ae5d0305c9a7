import * as z from 'zod';

/** Cheapest first. A tier is a role; which model fills it is configuration. */
export const TIERS = ['haiku', 'sonnet', 'opus'] as const;
export type Tier = (typeof TIERS)[number];
export const TierModels = z.strictObject({
  haiku: z.string().min(1),
  sonnet: z.string().min(1),
  opus: z.string().min(1),
});
export type TierModels = z.infer<typeof TierModels>;

export const DEFAULT_TIER_MODELS: TierModels = {
  haiku: 'claude-haiku-4-5',
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
};

export const isTier = (model: string): model is Tier => (TIERS as readonly string[]).includes(model);
