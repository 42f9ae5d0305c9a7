import * as z from 'zod';
import type { TokenUsage } from './usage.ts';

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  /** Written to a cache for minutes. */
  readonly cache_write: number;
  /** Written to a cache for an hour. */
  readonly cache_write_hour: number;
}

/**
 * US dollars per million tokens, valid from a day on. Prices are data with dates: a past chain keeps the price of its day. They are the
 * vendors' own; a cloud that resells a model may ask for more.
 */
export interface ModelPrice extends TokenPrices {
  readonly model: string;
  /** Who makes the model: one that judges must not be of the writer's family. */
  readonly family: 'claude' | 'gpt' | 'gemini';
  readonly valid_from: string;
  /** Prices of a call whose prompt, cached tokens included, has more tokens than `above`; absent: the same for all. */
  readonly long_prompt?: TokenPrices & { readonly above: number };
  /** The longest answer in tokens: what a call costs at the worst when it names no limit. */
  readonly max_output: number;
  readonly source: string;
}

/** Cache reads cost a tenth of input, cache writes 1.25 times input for five minutes and twice for an hour. */
const claude = (
  model: string,
  from: string,
  input: number,
  output: number,
  max_output = 128_000,
): ModelPrice => ({
  model,
  family: 'claude',
  valid_from: from,
  input,
  output,
  cache_read: input * 0.1,
  cache_write: input * 1.25,
  cache_write_hour: input * 2,
  max_output,
  source: 'vendor list price, read 2026-11',
});

interface VendorTerms {
  readonly family: 'gpt' | 'gemini';
  readonly max_output: number;
  /** Tokens above which a prompt has the long price: input and cache twice, output 1.5 times. */
  readonly longAbove: number | null;
  /** Writing to a cache, as a multiple of input. */
  readonly cacheWrite: number;
  readonly source: string;
}

/** Prices of a vendor's models from input and output; `cache_read` is a tenth of input where it is not given. */
const vendorPrices =
  ({ family, max_output, longAbove, cacheWrite, source }: VendorTerms) =>
  (model: string, from: string, input: number, output: number, cache_read = input * 0.1): ModelPrice => {
    const write = input * cacheWrite;
    return {
      ...{ model, family, valid_from: from, input, output, cache_read },
      ...{ cache_write: write, cache_write_hour: write, max_output, source },
      ...(longAbove !== null && {
        long_prompt: {
          above: longAbove,
          ...{ input: input * 2, output: output * 1.5, cache_read: cache_read * 2 },
          ...{ cache_write: write * 2, cache_write_hour: write * 2 },
        },
      }),
    };
  };

/** The table that the package litellm 1.110.2 carries. */
const SOURCE = 'list price in the price table of litellm 1.110.2, read 2026-11-27';
const gptTerms = { family: 'gpt', max_output: 128_000, longAbove: 272_000, source: SOURCE } as const;
const gpt55 = vendorPrices({ ...gptTerms, cacheWrite: 1 });
const gpt = vendorPrices({ ...gptTerms, cacheWrite: 1.25 });
const geminiTerms = { family: 'gemini', max_output: 65_536, cacheWrite: 1, source: SOURCE } as const;
const geminiFlash = vendorPrices({ ...geminiTerms, longAbove: null });
const geminiPro = vendorPrices({ ...geminiTerms, longAbove: 200_000 });

export const MODEL_PRICES: readonly ModelPrice[] = [
  claude('claude-haiku-4-5', '2025-10-15', 1, 5, 64_000),
  claude('claude-sonnet-4-6', '2026-02-01', 3, 15),
  claude('claude-sonnet-5-5', '2026-08-01', 2, 10),
  claude('claude-opus-4-7', '2026-04-01', 5, 25),
  claude('claude-opus-5-5', '2026-09-01', 4, 20),
  gpt55('gpt-5.5', '2026-04-01', 5, 30),
  gpt('gpt-5.6-luna', '2026-06-01', 0.2, 1.2),
  gpt('gpt-5.6-terra', '2026-06-01', 2, 12),
  gpt('gpt-5.6-sol', '2026-06-01', 4, 20),
  gpt('gpt-6-luna', '2026-09-01', 0.1, 0.5),
  gpt('gpt-6-astra', '2026-09-01', 10, 50),
  gpt('gpt-6.1-sol', '2026-10-01', 2, 10, 0.1),
  geminiFlash('gemini-2.5-flash', '2025-06-17', 0.3, 2.5),
  geminiPro('gemini-2.5-pro', '2025-06-17', 1.25, 10),
  geminiPro('gemini-3.1-pro-preview', '2026-02-01', 2, 12),
  geminiFlash('gemini-3.5-flash', '2026-05-01', 1.5, 9),
  geminiFlash('gemini-3.5-flash-lite', '2026-05-01', 0.3, 2.5),
  // Half price until the end of 2026.
  geminiFlash('gemini-3.8-flash', '2026-09-02', 0.75, 3.75),
  geminiFlash('gemini-3.8-flash', '2027-01-01', 1.5, 7.5),
];

/** A model by the name that prices go by: without the day of a snapshot, and without what a cloud puts around it. */
export const normaliseModelName = (model: string): string =>
  model
    .replace(/^(?:models\/|(?:(?:us|eu|apac|jp|au|global)\.)?anthropic\.|openai\.)/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');

/** The price of `model` on the day of `at` (ISO), or null when the table does not know it. Only whole names match: a substring would price the wrong model. */
export function modelPrice(
  model: string,
  at: string,
  prices: readonly ModelPrice[] = MODEL_PRICES,
): ModelPrice | null {
  const day = at.slice(0, 10);
  const plain = normaliseModelName(model);
  const known = prices.filter((price) => price.model === plain && price.valid_from <= day);
  return known.reduce<ModelPrice | null>(
    (latest, price) => (latest && latest.valid_from >= price.valid_from ? latest : price),
    null,
  );
}

/** Dollars rounded to a millionth. */
export const roundUsd = (usd: number): number => Math.round(usd * 1e6) / 1e6;

/** Returns the prices that hold for a call with a prompt of so many tokens, cached ones included. */
export const pricesForPrompt = (price: ModelPrice, promptTokens: number): TokenPrices =>
  price.long_prompt && promptTokens > price.long_prompt.above ? price.long_prompt : price;

/** What `usage` costs on `model` in dollars; null when the model, its price or the usage is unknown: never 0 for unknown. The usage may be that of many calls: prices of long prompts do not apply. */
export function usageCostUsd(
  model: string | null,
  usage: TokenUsage | null,
  at: string,
  prices: readonly ModelPrice[] = MODEL_PRICES,
): number | null {
  if (model === null || usage === null) return null;
  const price = modelPrice(model, at, prices);
  if (!price) return null;
  const micro =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_read_tokens * price.cache_read +
    usage.cache_write_tokens * price.cache_write;
  return roundUsd(micro / 1e6);
}

/** Dollars per million tokens; what is cached costs what is not. */
export const ConfiguredPrice = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
});
export type ConfiguredPrice = z.infer<typeof ConfiguredPrice>;

/**
 * Prices that an operator gives to models by name, 0 included. `same_as`: this name is another name of that model, for example what
 * a proxy calls it in its answers.
 */
export const ConfiguredPrices = z.record(
  z.string().min(1).max(200),
  z.union([ConfiguredPrice, z.strictObject({ same_as: z.string().min(1).max(200) })]),
);
export type ConfiguredPrices = z.infer<typeof ConfiguredPrices>;

/** Returns the model that a name stands for: itself without a configured alias. */
function resolveModelAlias(model: string, prices: ConfiguredPrices): string {
  const found = Object.hasOwn(prices, model) ? prices[model] : undefined;
  return found && 'same_as' in found ? found.same_as : model;
}

/** Returns the name that the price of a model goes by, behind a configured alias. */
export const pricedModelName = (model: string, prices: ConfiguredPrices): string =>
  normaliseModelName(resolveModelAlias(model, prices));

/** Returns the configured price of a model, or undefined. */
export function configuredPrice(model: string, prices: ConfiguredPrices): ConfiguredPrice | undefined {
  const name = resolveModelAlias(model, prices);
  const found = Object.hasOwn(prices, name) ? prices[name] : undefined;
  return found && 'input' in found ? found : undefined;
}

/** Whether a model has a price on the day of `at`, configured or in the price table. */
export const hasPrice = (model: string, at: string, prices: ConfiguredPrices): boolean =>
  configuredPrice(model, prices) !== undefined || modelPrice(pricedModelName(model, prices), at) !== null;
