import * as z from 'zod';
import { AgentAdapterSettings, CliKindList } from '../../shared/contract/agents/adapter.ts';
import { DEFAULT_TIER_MODELS, TierModels } from '../../shared/contract/agents/tiers.ts';
import { ConfiguredPrices } from '../../shared/contract/models/model-prices.ts';
import { PROVIDERS } from '../../shared/contract/models/protocols.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { DEFAULT_REVIEW_HOLD_LIMIT, ReviewHoldLimit } from '../../shared/contract/task/hold-limit.ts';
import { ContainerCapacity } from '../../shared/control/admission/container-capacity.ts';
import { ApprovalSettings } from '../../shared/control/approvals/approval-settings.ts';
import { TierPolicySettings } from '../../shared/control/cascade/learning/cascade-policy.ts';
import { ForgeSettingList } from '../../shared/control/forge/forge-settings.ts';
import type { AvailableAgentClis } from '../../shared/control/task-commands/adapter-problems.ts';
import { readOptionalEnv, readRequiredEnv } from '../../shared/store/env.ts';

/** Models by tier, as the deployment was configured. */
export const readTierModels = (): TierModels =>
  TierModels.parse(
    JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.tierModels, JSON.stringify(DEFAULT_TIER_MODELS))),
  );

/** The operator's own prices of models. */
export const readConfiguredPrices = (): ConfiguredPrices =>
  ConfiguredPrices.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.modelPrices, '{}')));

/** How long a person has to decide about work that is held, and what happens then. */
export const readReviewHoldLimit = (): ReviewHoldLimit =>
  ReviewHoldLimit.parse(
    JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.holdLimit, JSON.stringify(DEFAULT_REVIEW_HOLD_LIMIT))),
  );

/** What agents may do without a person, and what becomes of what nobody decides. */
export const readApprovalSettings = (): ApprovalSettings =>
  ApprovalSettings.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.approvalSettings, '{}')));

/** How the cascade chooses where to begin. */
export const readCascadePolicy = (): TierPolicySettings =>
  TierPolicySettings.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.cascadePolicy, '{}')));

/** Seconds that a claim lasts without a sign of life. */
export const readLeaseSeconds = (): number => Number(readOptionalEnv(FUNCTION_ENV_NAMES.leaseSeconds, '120'));

/** Forges that are told of tasks, and that may tell; empty: none. */
export const readForgeSettings = (): z.infer<typeof ForgeSettingList> =>
  ForgeSettingList.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.forges, '[]')));

/** Sizes of boxes, and how much may run at once. */
export const readContainerCapacity = (): ContainerCapacity =>
  ContainerCapacity.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.containerCapacity)));

/** What runs tasks. The embedded default has whatever is on the machine. */
export const readAvailableAgents = (): AvailableAgentClis => ({
  defaultAdapter: AgentAdapterSettings.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.defaultAdapter))),
  containerClis:
    readOptionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true'
      ? null
      : CliKindList.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.agentClis))),
  installedClis: CliKindList.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.agentClis))),
  modelVendors: z
    .array(z.enum(PROVIDERS))
    .nullable()
    .parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.modelVendors))),
  tierModels: readTierModels(),
  prices: readConfiguredPrices(),
});
