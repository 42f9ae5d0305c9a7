import { type ModelPrice, modelPrice, normaliseModelName } from '../../contract/models/model-prices.ts';
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

const dearestInput = (price: PerToken): number =>
  Math.max(price.input, price.cache_read, price.cache_write, price.cache_write_hour);

/** A price that a configuration gives to a model: what is cached costs what is not. */
export interface ConfiguredPrice {
  readonly input: number;
  readonly output: number;
}
type PerToken = Pick<ModelPrice, 'input' | 'output' | 'cache_read' | 'cache_write' | 'cache_write_hour'>;

const perToken = (model: string, at: string, own: ConfiguredPrice | undefined): PerToken | null =>
  own
    ? { ...own, cache_read: own.input, cache_write: own.input, cache_write_hour: own.input }
    : modelPrice(model, at);

/** The worst case in millionths of a dollar; null when the model has no price. */
export function worstCaseMicroUsd(
  worst: WorstCaseTokenUsage,
  model: string,
  at: string,
  own?: ConfiguredPrice,
): number | null {
  const price = perToken(model, at, own);
  return price === null
    ? null
    : micro(worst.input * dearestInput(price)) + micro(worst.output * price.output);
}

/**
 * The bill of one call. What the answer does not say is reckoned at the worst, never as nothing. The model that answered counts, not
 * the one that was asked for.
 */
export function computeModelCallCost(
  reading: ModelAnswerUsage,
  asked: string,
  worst: WorstCaseTokenUsage,
  at: string,
  own?: ConfiguredPrice,
): ModelCallCost {
  const model = normaliseModelName(reading.model ?? asked);
  const usage: TokenUsage = {
    input_tokens: reading.input ?? 0,
    output_tokens: reading.output ?? 0,
    cache_read_tokens: reading.cacheRead,
    cache_write_tokens: reading.cacheWrite,
  };
  // A price is that of the model which was asked for, and of no other that may have answered.
  const price = perToken(model, at, model === normaliseModelName(asked) ? own : undefined);
  if (price === null) return { model, usage, micro: null, estimated: 0 };
  const hour = Math.min(reading.cacheWriteHour, reading.cacheWrite);
  const counted =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_read_tokens * price.cache_read +
    (usage.cache_write_tokens - hour) * price.cache_write +
    hour * price.cache_write_hour;
  const input = micro(worst.input * dearestInput(price));
  const output = micro(worst.output * price.output);
  if (reading.input !== null && reading.output !== null)
    return { model, usage, micro: micro(counted), estimated: 0 };
  const reckoned = (reading.input === null ? input : 0) + (reading.output === null ? output : 0);
  const all = Math.min(micro(counted) + reckoned, input + output);
  return { model, usage, micro: all, estimated: Math.min(all, reckoned) };
}
