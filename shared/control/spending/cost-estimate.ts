import { formatMicroUsd, toMicroUsd } from '../../contract/models/budgets.ts';
import type { TierOption } from '../cascade/learning/choose-tier.ts';

/** What an attempt is expected to cost with its judging, in millionths of a dollar. */
export interface CostEstimate {
  readonly expectedMicro: number;
  /** What nine of ten attempts do not exceed: so much is set aside. */
  readonly highMicro: number;
  /** How it is known. */
  readonly description: string;
}

/** Attempts of known cost from which on their spread says something. */
const MIN_KNOWN_ATTEMPTS = 5;
/** Set aside where only the price is known: so many times what it says. */
const PRICE_ONLY_FACTOR = 3;

/** From what attempts have cost, or with few of them from the price alone, with caution. Null: neither is known. */
export function estimateAttemptCost(option: TierOption | null): CostEstimate | null {
  if (!option || option.cost_usd === null) return null;
  const { cost_with_judging, cost_usd } = option;
  if (
    cost_with_judging.known >= MIN_KNOWN_ATTEMPTS &&
    cost_with_judging.mean_usd !== null &&
    cost_with_judging.usd_90
  ) {
    const [low, expected, high] = [
      cost_with_judging.usd_90.low,
      cost_with_judging.mean_usd,
      cost_with_judging.usd_90.high,
    ].map(toMicroUsd) as [number, number, number];
    return {
      expectedMicro: expected,
      highMicro: Math.max(high, expected),
      description: `${formatMicroUsd(expected)} (${formatMicroUsd(low)} to ${formatMicroUsd(high)} at 90 %, from ${cost_with_judging.known} attempts)`,
    };
  }
  const expected = toMicroUsd(cost_usd);
  return {
    expectedMicro: expected,
    highMicro: expected * PRICE_ONLY_FACTOR,
    description: `${formatMicroUsd(expected)} by the price, up to ${formatMicroUsd(expected * PRICE_ONLY_FACTOR)} with caution, as only ${cost_with_judging.known} attempts are known`,
  };
}
