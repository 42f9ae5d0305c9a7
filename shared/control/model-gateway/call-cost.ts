import {
  type ConfiguredPrice,
  type ConfiguredPrices,
  configuredPrice,
  modelPrice,
  pricedModelName,
  pricesForPrompt,
  type TokenPrices,
} from '../../contract/models/model-prices.ts';
import type { TokenUsage } from '../../contract/models/usage.ts';
import type { ModelAnswerUsage } from './usage-reader.ts';

/** What a call may cost at the worst: known before it is made. */
export interface WorstCaseTokenUsage {
  /** As many tokens as the request has bytes: no text has more. */
  readonly input: number;
  readonly output: number;
}

/** What a call has cost. */
export interface ModelCallCost {
  /** By the name that prices go by. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** Millionths of a dollar, rounded up; null when the model has no price. */
  readonly micro: number | null;
  /** Of these: what was not counted but reckoned at the worst. */
  readonly estimated: number;
}

/** A price in dollars per million tokens is one in millionths per token. Rounding first: 0.1 has no exact binary form. */
const micro = (amount: number): number => Math.ceil(Math.round(amount * 1e6) / 1e6);

const dearestInput = (price: TokenPrices): number =>
  Math.max(price.input, price.cache_read, price.cache_write, price.cache_write_hour);

/** Prices of a call with a prompt of so many tokens; null when the model has no price. */
function perToken(
  model: string,
  at: string,
  promptTokens: number,
  own: ConfiguredPrice | undefined,
): TokenPrices | null {
  if (own) return { ...own, cache_read: own.input, cache_write: own.input, cache_write_hour: own.input };
  const price = modelPrice(model, at);
  return price && pricesForPrompt(price, promptTokens);
}

/** The worst case in millionths of a dollar; null when the model has no price. */
export function worstCaseMicroUsd(
  worst: WorstCaseTokenUsage,
  model: string,
  at: string,
  own?: ConfiguredPrice,
): number | null {
  const price = perToken(model, at, worst.input, own);
  return price === null
    ? null
    : micro(worst.input * dearestInput(price)) + micro(worst.output * price.output);
}

/** Bytes of a token in prose and code are four on average; three, so that an estimate is rather too high. */
const BYTES_PER_TOKEN = 3;
const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** By the bytes of the request and of what has come of the answer; at the worst where it is not known whether that began. */
const estimateUsage = (
  { bytes }: ModelAnswerUsage,
  worst: WorstCaseTokenUsage,
): { readonly input: number; readonly output: number } =>
  bytes === undefined
    ? worst
    : { input: estimateTokens(worst.input), output: Math.min(worst.output, estimateTokens(bytes)) };

/**
 * Computes the cost of one call. Tokens that the answer does not count are estimated from the bytes of request and answer, never as none.
 * The model that answered counts, not the one that was asked for.
 */
export function computeModelCallCost(
  reading: ModelAnswerUsage,
  asked: string,
  worst: WorstCaseTokenUsage,
  at: string,
  own?: ConfiguredPrice,
  prices: ConfiguredPrices = {},
): ModelCallCost {
  const model = pricedModelName(reading.model ?? asked, prices);
  const usage: TokenUsage = {
    input_tokens: reading.input ?? 0,
    output_tokens: reading.output ?? 0,
    cache_read_tokens: reading.cacheRead,
    cache_write_tokens: reading.cacheWrite,
  };
  const isAsked = model === pricedModelName(asked, prices);
  const prompt =
    reading.input === null ? worst.input : reading.input + reading.cacheRead + reading.cacheWrite;
  const price = perToken(model, at, prompt, configuredPrice(model, prices) ?? (isAsked ? own : undefined));
  if (price === null) return { model, usage, micro: null, estimated: 0 };
  const hour = Math.min(reading.cacheWriteHour, reading.cacheWrite);
  const counted =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_read_tokens * price.cache_read +
    (usage.cache_write_tokens - hour) * price.cache_write +
    hour * price.cache_write_hour;
  if (reading.input !== null && reading.output !== null)
    return { model, usage, micro: micro(counted), estimated: 0 };
  const most = micro(worst.input * dearestInput(price)) + micro(worst.output * price.output);
  const estimate = estimateUsage(reading, worst);
  const reckoned =
    (reading.input === null ? micro(estimate.input * dearestInput(price)) : 0) +
    (reading.output === null ? micro(estimate.output * price.output) : 0);
  const all = Math.min(micro(counted) + reckoned, most);
  return { model, usage, micro: all, estimated: Math.min(all, reckoned) };
}
