import * as z from 'zod';
import { Tier } from '../contract/agents/tiers.ts';
import { PROVIDERS } from '../contract/models/protocols.ts';
import { RoleName, TaskComplexity } from '../contract/submission/schema.ts';
import { TierPolicySettings } from '../control/cascade/learning/cascade-policy.ts';
import { TierLearningOverrides, TierPinScope } from '../control/cascade/learning/tier-learning-overrides.ts';

const CredibleInterval = z.object({ low: z.number(), high: z.number() });

export const TierPerformanceEstimate = z
  .object({
    role: z.string(),
    complexity: TaskComplexity,
    tier: Tier,
    model: z.string(),
    basis: z
      .enum(['complexity', 'role', 'nothing'])
      .describe(
        'Whether the outcomes are those of this complexity, of the whole role (because these are few), or none.',
      ),
    observations: z.int(),
    passes: z.int(),
    pass_rate: z.number().nullable().describe('Null: there are no observations.'),
    pass_rate_90: CredibleInterval,
    cost_usd: z
      .number()
      .nullable()
      .describe('Expected cost of an attempt in dollars: observed, else from the price. Null: unknown.'),
    cost_usd_90: CredibleInterval.nullable().describe(
      '90 % interval of the cost of an attempt in dollars; null: no cost was observed.',
    ),
    costs_known: z.int(),
    mean_seconds: z.number().nullable(),
    break_even_pass_rate: z
      .number()
      .nullable()
      .describe('Pass rate above which trying this tier before the next one saves money.'),
    pinned: z.boolean().describe('An operator pinned this tier as the first one.'),
  })
  .meta({ id: 'TierBelief' });

export const CascadeView = z
  .object({
    policy: TierPolicySettings,
    beliefs: z.array(TierPerformanceEstimate),
    /** Providers that nothing is begun with for a while; in answers to a pin or a reset there are none. */
    cooldowns: z
      .array(
        z.object({
          provider: z.string(),
          until: z.iso.datetime(),
          reason: z.string(),
          consecutive_failures: z.int(),
        }),
      )
      .optional(),
    /** The latest first, of each role. */
    history: z.array(TierLearningOverrides.shape.history.element.extend({ role: z.string() })),
  })
  .meta({ id: 'Cascade' });
export type CascadeView = z.infer<typeof CascadeView>;

export const CascadeQuery = z.strictObject({ role: RoleName.optional() });

const reason = z.string().trim().min(1).max(2_000);
export const PinTierBody = z
  .strictObject({
    complexity: TierPinScope.default('any'),
    tier: Tier.nullable().describe('The tier that is pinned as the first one; null removes the pin.'),
    reason,
  })
  .meta({ id: 'PinTierBody' });
export const ResetTierEstimatesBody = z
  .strictObject({
    tier: Tier.nullable()
      .default(null)
      .describe('The tier whose observations are discarded; null: those of all.'),
    reason,
  })
  .meta({ id: 'ResetBeliefsBody' });

export const ProviderStatusView = z
  .object({
    provider: z.enum(PROVIDERS),
    state: z
      .enum(['closed', 'open', 'half_open'])
      .describe('closed: in use. open: paused. half_open: one task at a time tries it.'),
    since: z.iso.datetime().nullable().describe('When the latest outage was counted; null: never.'),
    until: z.iso.datetime().nullable().describe('End of the latest pause.'),
    reason: z.string().nullable().describe('Failure code of the latest outage.'),
    consecutive_failures: z.int().describe('Consecutive outages; a success resets it to 0.'),
    probe: z.string().nullable().describe('Task that tries the provider after a pause.'),
    cleared: z
      .object({ by: z.string(), reason: z.string(), at: z.iso.datetime() })
      .nullable()
      .describe('The operator who ended the latest pause; null: nobody did.'),
  })
  .meta({ id: 'ProviderStatus' });
export type ProviderStatusView = z.infer<typeof ProviderStatusView>;

export const ProviderStatusList = z
  .object({ providers: z.array(ProviderStatusView) })
  .meta({ id: 'ProviderStatusList' });
export type ProviderStatusList = z.infer<typeof ProviderStatusList>;

export const ClearProviderBody = z.strictObject({ reason }).meta({ id: 'ClearProviderBody' });
