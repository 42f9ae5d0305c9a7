import type { TokenUsage } from './usage.ts';

/**
 * US dollars per million tokens, valid from a day on. Prices are data with dates: a past chain keeps the price of its day. They are the
 * vendors' own; a cloud that resells a model may ask for more.
 */
export interface ModelPrice {
  readonly model: string;
  /** Who makes the model: one that judges must not be of the writer's family. */
  readonly family: 'claude' | 'gpt' | 'gemini';
  readonly valid_from: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  /** Written to a cache for minutes. */
  readonly cache_write: number;
  /** Written to a cache for an hour. */
  readonly cache_write_hour: number;
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

/** Writing to a cache costs what input costs. */
const vendorPrices =
  (family: 'gpt' | 'gemini', max_output: number) =>
  (model: string, from: string, input: number, output: number, cache_read = input * 0.1): ModelPrice => ({
    model,
    family,
    valid_from: from,
    input,
    output,
    cache_read,
    cache_write: input,
    cache_write_hour: input,
    max_output,
    source: 'list price as public price tables had it, 2026-11; prompts of up to 200,000 tokens',
  });
const gpt = vendorPrices('gpt', 128_000);
const gemini = vendorPrices('gemini', 65_536);

export const MODEL_PRICES: readonly ModelPrice[] = [
  claude('claude-haiku-4-5', '2025-10-15', 1, 5, 64_000),
  claude('claude-sonnet-4-6', '2026-02-01', 3, 15),
  claude('claude-sonnet-5-5', '2026-08-01', 2, 10),
  claude('claude-opus-4-7', '2026-04-01', 5, 25),
  claude('claude-opus-5-5', '2026-09-01', 4, 20),
  gpt('gpt-5.5', '2026-04-01', 5, 30),
  gpt('gpt-5.6-luna', '2026-06-01', 0.2, 1.2),
  gpt('gpt-5.6-terra', '2026-06-01', 2, 12),
  gpt('gpt-5.6-sol', '2026-06-01', 4, 20),
  gpt('gpt-6-luna', '2026-09-01', 0.1, 0.5),
  gpt('gpt-6-astra', '2026-09-01', 10, 50),
  gpt('gpt-6.1-sol', '2026-10-01', 2, 10, 0.1),
  gemini('gemini-2.5-flash', '2025-06-17', 0.3, 2.5),
  gemini('gemini-2.5-pro', '2025-06-17', 1.25, 10),
  gemini('gemini-3.1-pro-preview', '2026-02-01', 2, 12),
  gemini('gemini-3.5-flash', '2026-05-01', 1.5, 9),
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

/** What `usage` costs on `model` in dollars; null when the model, its price or the usage is unknown: never 0 for unknown. */
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
