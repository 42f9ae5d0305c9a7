import { roundUsd } from '../../../contract/models/model-prices.ts';
import type { TierCandidate } from '../../../contract/run-record/tier-candidate.ts';
import type { TierPolicySettings } from './cascade-policy.ts';
import { type SeededRandom, sampleBeta } from './seeded-random.ts';
import type { TierPassRateEstimate } from './tier-pass-rate.ts';

/** A tier that may try, with what is believed of it. */
export interface TierOption extends TierPassRateEstimate {
  /** Expected cost of an attempt in US dollars: as observed, else by its price; null: not known. */
  readonly cost_usd: number | null;
}

export interface TierChoice {
  /** Into the options. */
  readonly index: number;
  /** Why, with its numbers. */
  readonly reason: string;
  /** Chosen by chance, to learn. */
  readonly explored: boolean;
  readonly candidates: readonly TierCandidate[];
}

const round = (value: number, digits = 2): string => value.toFixed(digits);

/** Known to how many passes, as words. */
const describePassRate = ({
  observations,
  passes,
  pass_rate,
  pass_rate_90: { low, high },
}: TierPassRateEstimate): string =>
  pass_rate === null
    ? 'nothing is known of its passes'
    : `${passes} of ${observations} passed (${round(pass_rate)}, ${round(low)} to ${round(high)} at 90 %)`;

/** The pass rate above which an attempt at `cost` before one that costs `next` saves money. */
const breakEvenOf = (cost: number | null, next: number | null): number | null =>
  cost === null || next === null || next <= 0 ? null : Math.min(1, cost / next);

const brief = (value: number): number => Math.round(value * 1e4) / 1e4;
const briefly = (value: number | null): number | null => (value === null ? null : brief(value));

/** To four digits: it is kept with the attempt. */
const toTierCandidate = (option: TierOption, next: number | null, drawn: number | null): TierCandidate => ({
  tier: option.tier,
  observations: option.observations,
  pass_rate: briefly(option.pass_rate),
  pass_rate_90: { low: brief(option.pass_rate_90.low), high: brief(option.pass_rate_90.high) },
  cost_usd: option.cost_usd === null ? null : roundUsd(option.cost_usd),
  break_even_pass_rate: briefly(breakEvenOf(option.cost_usd, next)),
  sampled_pass_rate: briefly(drawn),
});

/**
 * The seed's rule: with the probability epsilon any tier; else the cheapest that has not shown to be too weak or not to pay. A tier with few
 * observations is given its chance; when all are skipped, the top.
 */
function chooseGreedy(
  options: readonly TierOption[],
  policy: TierPolicySettings,
  random: SeededRandom,
): TierChoice {
  const weighed = options.map((option, at) =>
    toTierCandidate(option, options[at + 1]?.cost_usd ?? null, null),
  );
  if (random.uniform() < policy.epsilon) {
    const index = Math.floor(random.uniform() * options.length);
    return {
      index,
      reason: `tried by chance, which is done ${round(policy.epsilon)} of the time, to learn`,
      explored: true,
      candidates: weighed,
    };
  }
  const skipped: string[] = [];
  for (const [index, option] of options.entries()) {
    const even = weighed[index]?.break_even_pass_rate ?? null;
    const isKnown = option.observations >= policy.min_observations && option.pass_rate !== null;
    const isWeak = isKnown && (option.pass_rate ?? 1) < policy.quality_threshold;
    const isLoss = isKnown && even !== null && option.pass_rate_90.high <= even;
    if (index === options.length - 1 || !(isWeak || isLoss)) {
      const why = skipped.length > 0 ? skipped.join('; ') : `${option.tier}: ${describePassRate(option)}`;
      return { index, reason: why, explored: false, candidates: weighed };
    }
    const rule = isLoss
      ? `does not pay below ${round(even)}`
      : `below the threshold of ${round(policy.quality_threshold)}`;
    skipped.push(`${option.tier} skipped: ${describePassRate(option)}, ${rule}`);
  }
  throw new Error('there is no tier to choose of');
}

/**
 * Draws a pass rate for each tier from what is believed of it, and begins where the whole way up is cheapest with these: from the top down, a
 * tier is tried when its cost and what then remains are less than going on without it. What is uncertain is drawn now high, now low, so
 * it goes on being tried until it is known not to pay.
 */
function chooseByThompsonSampling(options: readonly TierOption[], random: SeededRandom): TierChoice {
  const draws = options.map(({ passes, observations }) =>
    sampleBeta(random, 1 + passes, 1 + observations - passes),
  );
  let remaining = options.at(-1)?.cost_usd ?? 0;
  let index = options.length - 1;
  const weighed = [...options.keys()].map((at) =>
    toTierCandidate(options[at] as TierOption, null, draws[at] ?? null),
  );
  for (let at = options.length - 2; at >= 0; at--) {
    const option = options[at] as TierOption;
    const draw = draws[at] ?? 0;
    weighed[at] = toTierCandidate(option, remaining, draw);
    const tried = (option.cost_usd ?? 0) + (1 - draw) * remaining;
    if (tried >= remaining) continue;
    remaining = tried;
    index = at;
  }
  const skipped = options.slice(0, index).map((option, at) => {
    const { sampled_pass_rate: drawn, break_even_pass_rate } = weighed[at] as TierCandidate;
    return `${option.tier} skipped: ${describePassRate(option)}, taken for ${round(drawn ?? 0)}, and it pays above ${round(break_even_pass_rate ?? 1)}`;
  });
  const { sampled_pass_rate: drawn, break_even_pass_rate } = weighed[index] as TierCandidate;
  const chosen = options[index] as TierOption;
  const why =
    break_even_pass_rate === null
      ? `${chosen.tier}: ${describePassRate(chosen)}`
      : `${chosen.tier}: ${describePassRate(chosen)}, taken for ${round(drawn ?? 0)}, and it pays above ${round(break_even_pass_rate)}`;
  return { index, reason: [...skipped, why].join('; '), explored: false, candidates: weighed };
}

/** Which of the tiers, cheapest first, tries next; null: the policy has no opinion, and the first does. Throws without options. */
export function chooseTier(
  options: readonly TierOption[],
  policy: TierPolicySettings,
  random: SeededRandom,
): TierChoice | null {
  if (policy.policy === 'fixed' || options.length < 2) return null;
  if (policy.policy === 'greedy') return chooseGreedy(options, policy, random);
  // What is not known to cost less cannot be known to save.
  return options.some(({ cost_usd }) => cost_usd === null) ? null : chooseByThompsonSampling(options, random);
}
