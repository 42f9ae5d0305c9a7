import * as z from 'zod';
import type { AgentAdapterSettings } from './adapter.ts';
import type { AgentCliManifest } from './adapter-manifest.ts';
import { AGENT_CLI_MANIFESTS, DEFAULT_AGENT_CLI } from './adapter-manifests.ts';

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

export const DEFAULT_TIER_MODELS: TierModels = AGENT_CLI_MANIFESTS[DEFAULT_AGENT_CLI].tiers.models;

export const isTier = (model: string): model is Tier => (TIERS as readonly string[]).includes(model);

/** Returns the deployment's models, or those of the adapter's manifest if the adapter cannot run the deployment's. */
export function selectTierModels(adapter: AgentAdapterSettings | undefined, models: TierModels): TierModels {
  if (adapter === undefined || adapter.kind === 'command') return models;
  const { modelPattern: known, tiers }: AgentCliManifest = AGENT_CLI_MANIFESTS[adapter.kind];
  if (known === null || tiers === null || known.test(models.sonnet)) return models;
  const isOthers = Object.values<AgentCliManifest>(AGENT_CLI_MANIFESTS).some((each) =>
    each.modelPattern?.test(models.sonnet),
  );
  return isOthers ? tiers.models : models;
}
