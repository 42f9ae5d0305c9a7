import { microOf, usdOf } from '../../contract/models/limits.ts';
import type { Option } from '../cascade/learning/choose.ts';

/** What an attempt is expected to cost with its judging, in millionths of a dollar. */
export interface Estimated {
  readonly expected: number;
  /** What nine of ten attempts do not exceed: so much is set aside. */
  readonly high: number;
  /** How it is known. */
  readonly words: string;
}

/** Attempts of known cost from which on their spread says something. */
const ENOUGH = 5;
/** Set aside where only the price is known: so many times what it says. */
const CAUTION = 3;

/** From what attempts have cost, or with few of them from the price alone, with caution. Null: neither is known. */
export function estimateOf(option: Option | null): Estimated | null {
  if (!option || option.cost_usd === null) return null;
  const { spent, cost_usd } = option;
  if (spent.known >= ENOUGH && spent.mean_usd !== null && spent.usd_90) {
    const [low, expected, high] = [spent.usd_90.low, spent.mean_usd, spent.usd_90.high].map(microOf) as [
      number,
      number,
      number,
    ];
    return {
      expected,
      high: Math.max(high, expected),
      words: `${usdOf(expected)} (${usdOf(low)} to ${usdOf(high)} at 90 %, from ${spent.known} attempts)`,
    };
  }
  const expected = microOf(cost_usd);
  return {
    expected,
    high: expected * CAUTION,
    words: `${usdOf(expected)} by the price, up to ${usdOf(expected * CAUTION)} with caution, as only ${spent.known} attempts are known`,
  };
}
