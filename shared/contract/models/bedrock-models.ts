import * as z from 'zod';

/**
 * Ids of Anthropic's models in Amazon Bedrock, as known on 2026-11-27.
 *
 * - Endpoints and APIs: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (the Messages
 *   API of `bedrock-runtime` is there in all Regions with Claude models; `bedrock-mantle` only in some)
 * - Ids and inference profiles: the model cards below
 *   https://docs.aws.amazon.com/bedrock/latest/userguide/model-cards.html, and `aws bedrock list-inference-profiles`
 */
export const BEDROCK_MODELS_DATE = '2026-11-27';

/** Where an inference profile may process a request. `global` is every commercial Region. */
export const BEDROCK_GEOGRAPHIES = ['global', 'us', 'eu', 'jp', 'au'] as const;
export const BedrockGeography = z.enum(BEDROCK_GEOGRAPHIES);
export type BedrockGeography = z.infer<typeof BedrockGeography>;

/** Regions from which the profiles of a geography can be called. */
const SOURCE_REGIONS: Readonly<Record<BedrockGeography, RegExp>> = {
  global: /^(?!cn-|us-gov-|us-iso)/,
  us: /^(us-(east|west)-\d|ca-(central|west)-1)$/,
  eu: /^eu-(?!isoe-|sc-)/,
  jp: /^ap-northeast-[13]$/,
  au: /^ap-southeast-[24]$/,
};

interface BedrockModel {
  /** Id of the foundation model at `bedrock-runtime`; a call names a profile of it: `<geography>.<id>`. */
  readonly id: string;
  readonly geographies: readonly BedrockGeography[];
}

/** By the name that Anthropic's own API knows the model by; `bedrock-mantle` knows it as `anthropic.<name>`. */
export const BEDROCK_CLAUDE_MODELS: Readonly<Record<string, BedrockModel>> = {
  'claude-haiku-4-5': {
    id: 'anthropic.claude-haiku-4-5-20251001-v1:0',
    geographies: ['global', 'us', 'eu', 'jp', 'au'],
  },
  'claude-sonnet-5-5': { id: 'anthropic.claude-sonnet-5-5', geographies: ['global', 'us', 'eu', 'jp', 'au'] },
  'claude-opus-5-5': { id: 'anthropic.claude-opus-5-5', geographies: ['global', 'us', 'eu', 'jp', 'au'] },
};

export interface BedrockModelScope {
  readonly endpoint: 'runtime' | 'mantle';
  readonly geography?: BedrockGeography | undefined;
  readonly model_prefix?: string | undefined;
}

/** Names of Bedrock's own: a foundation model, an inference profile, or the ARN of one. */
const BEDROCK_ID = /^(arn:|(?:[a-z-]+\.)?(?:anthropic|openai)\.)/;

/**
 * Returns the id that Bedrock knows a model by. A name of Bedrock's own is kept; `model_prefix` goes before every other
 * name; a model that the table lacks is taken to have an undated id.
 */
export function buildBedrockModelId(
  vendor: 'anthropic' | 'openai',
  model: string,
  { endpoint, geography = 'global', model_prefix }: BedrockModelScope,
): string {
  if (model_prefix !== undefined) return model.startsWith(model_prefix) ? model : `${model_prefix}${model}`;
  if (BEDROCK_ID.test(model)) return model;
  if (vendor === 'openai') return `openai.${model}`;
  if (endpoint === 'mantle') return `anthropic.${model}`;
  return `${geography}.${BEDROCK_CLAUDE_MODELS[model]?.id ?? `anthropic.${model}`}`;
}

/** Lists the ids of the table that can be called from a Region, the global ones first. */
export const listBedrockModelIds = (region: string): string[] =>
  BEDROCK_GEOGRAPHIES.filter((geography) => SOURCE_REGIONS[geography].test(region)).flatMap((geography) =>
    Object.values(BEDROCK_CLAUDE_MODELS)
      .filter(({ geographies }) => geographies.includes(geography))
      .map(({ id }) => `${geography}.${id}`),
  );

/** Returns the sentence for a model that Bedrock does not offer in a Region. */
export function describeModelNotOffered(model: string, region: string): string {
  const offered = listBedrockModelIds(region);
  return offered.length === 0
    ? `model ${model} is not offered by Bedrock in region ${region}, nor is any other Claude model; name a provider with a key in assay:models`
    : `model ${model} is not offered by Bedrock in region ${region}; these are (as of ${BEDROCK_MODELS_DATE}): ${offered.join(', ')}`;
}

/** Does an answer of Bedrock say that it does not have the model here, rather than that the request is wrong? */
export const isModelNotOffered = (status: number, body: string): boolean =>
  status === 404 ||
  (status === 400 &&
    /model identifier is invalid|isn.t supported|on-demand throughput|not available in (this|the) region/i.test(
      body,
    ));

/**
 * Values of `anthropic-beta` that Bedrock takes for every model of the table, as known on 2026-11-27; any other is
 * answered with 400 "invalid beta flag": https://github.com/anthropics/claude-code/issues/49370.
 */
export const BEDROCK_BETAS: readonly string[] = ['interleaved-thinking-2025-05-14'];

/** Returns those values of an `anthropic-beta` header that Bedrock takes; null: none. */
export function selectBedrockBetas(header: string): string | null {
  const kept = header
    .split(',')
    .map((each) => each.trim())
    .filter((each) => BEDROCK_BETAS.includes(each));
  return kept.length === 0 ? null : kept.join(',');
}
