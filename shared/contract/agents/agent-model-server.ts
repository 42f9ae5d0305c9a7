import * as z from 'zod';
import { EnvironmentModelKey, PlainHttp, ProviderUrl, refinePlainHttp } from '../models/model-key.ts';
import { ConfiguredPrices } from '../models/model-prices.ts';
import { PROVIDERS } from '../models/protocols.ts';
import { TierModels } from './tiers.ts';

/** `agents` in a models file: the server that answers agents, with its models by tier and their prices. */
export const AgentModelServer = z
  .strictObject({
    provider: z
      .enum(PROVIDERS)
      .default('openai')
      .describe('Protocol of the server; an agent CLI of that provider calls it.'),
    url: ProviderUrl.describe(
      'Base URL as clients of the API expect it: with /v1 for OpenAI, without for Anthropic.',
    ),
    plain_http: PlainHttp,
    key: EnvironmentModelKey.optional().describe('Absent: the server needs no key.'),
    tiers: TierModels,
    prices: ConfiguredPrices.default({}).describe('Dollars per million tokens by model; 0 is allowed.'),
  })
  .superRefine(refinePlainHttp);
export type AgentModelServer = z.infer<typeof AgentModelServer>;
