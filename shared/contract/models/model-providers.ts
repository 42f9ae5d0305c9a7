import * as z from 'zod';
import { BedrockGeography } from './bedrock-models.ts';
import {
  BedrockRegion,
  EnvironmentModelKey,
  ParameterModelKey,
  PlainHttp,
  ProviderUrl,
  refinePlainHttp,
  SecretModelKey,
} from './model-key.ts';

const Url = ProviderUrl.optional();
const address = { url: Url, plain_http: PlainHttp };

/** Who answers the calls for one vendor's models, and what they are signed with. */
export const ModelProvider = z.discriminatedUnion('via', [
  z
    .strictObject({
      via: z.literal('bedrock'),
      /** Where the models are; the gateway's own region when it is not given. */
      region: BedrockRegion.optional(),
      /** Both speak the vendors' own protocols; `mantle` is in fewer Regions. */
      endpoint: z.enum(['mantle', 'runtime']).default('runtime'),
      /** Where inference profiles may process requests; `global` by default. */
      geography: BedrockGeography.optional(),
      /** Goes before a model's name, for models that the table of ids lacks. */
      model_prefix: z.string().max(50).optional(),
      url: Url,
    })
    .superRefine(refinePlainHttp),
  SecretModelKey.extend(address).superRefine(refinePlainHttp),
  ParameterModelKey.extend(address).superRefine(refinePlainHttp),
  EnvironmentModelKey.extend(address).superRefine(refinePlainHttp),
  /** A server of one's own that wants no key. */
  z
    .strictObject({ via: z.literal('none'), url: ProviderUrl, plain_http: PlainHttp })
    .superRefine(refinePlainHttp),
]);
export type ModelProvider = z.infer<typeof ModelProvider>;

export const ModelProviders = z.strictObject({
  anthropic: ModelProvider.optional(),
  openai: ModelProvider.optional(),
  gemini: ModelProvider.optional(),
});
export type ModelProviders = z.infer<typeof ModelProviders>;

/** No key is needed: the gateway's role may call Bedrock. */
export const DEFAULT_MODEL_PROVIDERS: ModelProviders = { anthropic: { via: 'bedrock', endpoint: 'runtime' } };

/** Dollars that an attempt may spend when its task says nothing: a token that gets out buys no more. */
export const DEFAULT_MAX_ATTEMPT_USD = 25;
