import type { Usage } from '../task/attempt.ts';

/** US dollars per million tokens, valid from a day on. Prices are data with dates: a past chain keeps the price of its day. */
export interface Price {
  readonly model: string;
  readonly from: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly source: string;
}

/** List prices, late 2026. Cache reads cost a tenth of input and five-minute cache writes 1.25 times input. */
const row = (model: string, from: string, input: number, output: number): Price => ({
  model,
  from,
  input,
  output,
  cache_read: input * 0.1,
  cache_write: input * 1.25,
  source: 'vendor list price, read 2026-11',
});

export const PRICES: readonly Price[] = [
  row('claude-haiku-4-5', '2025-10-15', 1, 5),
  row('claude-sonnet-4-6', '2026-02-01', 3, 15),
  row('claude-sonnet-5-5', '2026-08-01', 2, 10),
  row('claude-opus-4-7', '2026-04-01', 5, 25),
  row('claude-opus-5-5', '2026-09-01', 4, 20),
];

/** The price of `model` on the day of `at` (ISO), or null when the table does not know it. Only exact ids match: a substring would price the wrong model. */
export function priceOf(model: string, at: string, prices: readonly Price[] = PRICES): Price | null {
  const day = at.slice(0, 10);
  const known = prices.filter((price) => price.model === model && price.from <= day);
  return known.reduce<Price | null>(
    (latest, price) => (latest && latest.from >= price.from ? latest : price),
    null,
  );
}

/** Dollars rounded to a millionth. */
export const roundUsd = (usd: number): number => Math.round(usd * 1e6) / 1e6;

/** What `usage` costs on `model` in dollars; null when the model, its price or the usage is unknown: never 0 for unknown. */
export function costUsd(
  model: string | null,
  usage: Usage | null,
  at: string,
  prices: readonly Price[] = PRICES,
): number | null {
  if (model === null || usage === null) return null;
  const price = priceOf(model, at, prices);
  if (!price) return null;
  const micro =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_read_tokens * price.cache_read +
    usage.cache_write_tokens * price.cache_write;
  return roundUsd(micro / 1e6);
}
