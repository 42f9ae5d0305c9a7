import * as z from 'zod';
import type { Adapter } from './adapter.ts';
import { ADAPTER_CAPABILITIES, type AdapterCapabilities } from './adapter-capabilities.ts';

/** Cheapest first. A tier is a role; which model fills it is configuration. */
export const TIERS = ['haiku', 'sonnet', 'opus'] as const;
export const Tier = z.enum(TIERS);
export type Tier = z.infer<typeof Tier>;
export const TierModels = z.strictObject({
  haiku: z.string().min(1),
  sonnet: z.string().min(1),
  opus: z.string().min(1),
});
export type TierModels = z.infer<typeof TierModels>;

export const DEFAULT_TIER_MODELS: TierModels = ADAPTER_CAPABILITIES.claude.tiers.models;

export const isTier = (model: string): model is Tier => (TIERS as readonly string[]).includes(model);

/** A deployment's models, unless they are known to be of another vendor than those that a task's own adapter can run. */
export function tierModelsFor(adapter: Adapter | undefined, models: TierModels): TierModels {
  if (adapter === undefined || adapter.kind === 'command') return models;
  const { modelPattern: known, tiers }: AdapterCapabilities = ADAPTER_CAPABILITIES[adapter.kind];
  if (known === null || tiers === null || known.test(models.sonnet)) return models;
  const isOthers = Object.values<AdapterCapabilities>(ADAPTER_CAPABILITIES).some((each) =>
    each.modelPattern?.test(models.sonnet),
  );
  return isOthers ? tiers.models : models;
}
