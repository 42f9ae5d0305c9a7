import { DEFAULT_TIER_MODELS, TierModels } from '../../shared/cascade/tiers.ts';
import { ENV } from '../../shared/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';

/** Models by tier, as the deployment was configured. */
export const tierModels = (): TierModels =>
  TierModels.parse(JSON.parse(optionalEnv(ENV.tierModels, JSON.stringify(DEFAULT_TIER_MODELS))));

/** Seconds that a claim lasts without a sign of life. */
export const leaseSeconds = (): number => Number(optionalEnv(ENV.leaseSeconds, '120'));
