import * as z from 'zod';
import { Adapter, CliKinds } from '../../shared/contract/agents/adapter.ts';
import { DEFAULT_TIER_MODELS, TierModels } from '../../shared/contract/agents/tiers.ts';
import { PROVIDERS } from '../../shared/contract/models/protocols.ts';
import { ENV } from '../../shared/contract/names.ts';
import { DEFAULT_HOLD_LIMIT, HoldLimit } from '../../shared/contract/task/hold-limit.ts';
import { BoxRoom } from '../../shared/control/admission/box-room.ts';
import { ApprovalRules } from '../../shared/control/approvals/rules.ts';
import { CascadePolicy } from '../../shared/control/cascade/learning/policy.ts';
import { KnownForges } from '../../shared/control/forge/schema.ts';
import type { Agents } from '../../shared/control/task-commands/adapter-choice.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';

/** Models by tier, as the deployment was configured. */
export const tierModels = (): TierModels =>
  TierModels.parse(JSON.parse(optionalEnv(ENV.tierModels, JSON.stringify(DEFAULT_TIER_MODELS))));

/** How long a person has to decide about work that is held, and what happens then. */
export const holdLimit = (): HoldLimit =>
  HoldLimit.parse(JSON.parse(optionalEnv(ENV.holdLimit, JSON.stringify(DEFAULT_HOLD_LIMIT))));

/** What agents may do without a person, and what becomes of what nobody decides. */
export const approvalRules = (): ApprovalRules =>
  ApprovalRules.parse(JSON.parse(optionalEnv(ENV.approvalRules, '{}')));

/** How the cascade chooses where to begin. */
export const cascadePolicy = (): CascadePolicy =>
  CascadePolicy.parse(JSON.parse(optionalEnv(ENV.cascadePolicy, '{}')));

/** Seconds that a claim lasts without a sign of life. */
export const leaseSeconds = (): number => Number(optionalEnv(ENV.leaseSeconds, '120'));

/** Forges that are told of tasks, and that may tell; empty: none. */
export const forgeSettings = (): z.infer<typeof KnownForges> =>
  KnownForges.parse(JSON.parse(optionalEnv(ENV.forges, '[]')));

/** Sizes of boxes, and how much may run at once. */
export const boxRoom = (): BoxRoom => BoxRoom.parse(JSON.parse(requireEnv(ENV.boxRoom)));

/** What runs tasks. The embedded default has whatever is on the machine. */
export const deployedAgents = (): Agents => ({
  fallback: Adapter.parse(JSON.parse(requireEnv(ENV.defaultAdapter))),
  clis:
    optionalEnv(ENV.allowFileRepositories, 'false') === 'true'
      ? null
      : CliKinds.parse(JSON.parse(requireEnv(ENV.agentClis))),
  installed: CliKinds.parse(JSON.parse(requireEnv(ENV.agentClis))),
  vendors: z
    .array(z.enum(PROVIDERS))
    .nullable()
    .parse(JSON.parse(requireEnv(ENV.modelVendors))),
  tiers: tierModels(),
});
