import type { Tier } from '../../../contract/agents/tiers.ts';
import { modelPrice } from '../../../contract/models/model-prices.ts';
import type { TaskComplexity } from '../../../contract/submission/schema.ts';
import type { LearnedAttemptOutcome } from './attempt-outcomes.ts';
import {
  type ConfidenceInterval,
  computeCentralInterval90,
  computeWilsonInterval,
  meanOrNull,
} from './intervals.ts';
import { type RecentAttemptOutcomes, selectLatestAttemptOutcomes } from './recent-attempt-outcomes.ts';
import { NO_TIER_LEARNING_OVERRIDES, type TierLearningOverrides } from './tier-learning-overrides.ts';

/** All that is remembered of a role: a window for each complexity and tier, and a person's word. */
export interface RoleLearningState {
  readonly windows: readonly {
    readonly complexity: TaskComplexity;
    readonly tier: Tier;
    readonly window: RecentAttemptOutcomes;
  }[];
  readonly control: TierLearningOverrides;
}
export const EMPTY_ROLE_LEARNING_STATE: RoleLearningState = {
  windows: [],
  control: NO_TIER_LEARNING_OVERRIDES,
};

/** What is believed of one tier, and from what. */
export interface TierPassRateEstimate {
  readonly tier: Tier;
  readonly model: string;
  /** Of tasks of the same complexity, of the role whatever the complexity, or of nothing at all. */
  readonly basis: 'complexity' | 'role' | 'nothing';
  readonly observations: number;
  readonly passes: number;
  /** Null without observations. */
  readonly pass_rate: number | null;
  /** Where the share of passes lies, at 90 %. */
  readonly pass_rate_90: ConfidenceInterval;
  /** US dollars of an attempt; null: no cost is known. */
  readonly mean_cost_usd: number | null;
  /** Where nine of ten attempts lie. */
  readonly cost_usd_90: ConfidenceInterval | null;
  /** Attempts whose cost is known. */
  readonly costs_known: number;
  /** Of agent and judging together: by this is set aside. Which tier tries goes by the agent alone. */
  readonly cost_with_judging: {
    readonly known: number;
    readonly mean_usd: number | null;
    readonly usd_90: ConfidenceInterval | null;
  };
  readonly mean_seconds: number | null;
}

/** Returns the cost of an attempt with its judging in dollars, or null if either is unknown. */
const costWithJudging = ({ cost_usd, judging_cost_usd }: LearnedAttemptOutcome): number | null =>
  cost_usd === null || judging_cost_usd === null ? null : cost_usd + judging_cost_usd;

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

function summarise(
  tier: Tier,
  model: string,
  from: TierPassRateEstimate['basis'],
  outcomes: readonly LearnedAttemptOutcome[],
): TierPassRateEstimate {
  const passes = outcomes.filter(({ passed }) => passed).length;
  const costs = known(outcomes.map(({ cost_usd }) => cost_usd));
  const spent = known(outcomes.map(costWithJudging));
  return {
    tier,
    model,
    basis: outcomes.length === 0 ? 'nothing' : from,
    observations: outcomes.length,
    passes,
    pass_rate: outcomes.length === 0 ? null : passes / outcomes.length,
    pass_rate_90: computeWilsonInterval(passes, outcomes.length),
    mean_cost_usd: meanOrNull(costs),
    cost_usd_90: computeCentralInterval90(costs),
    costs_known: costs.length,
    cost_with_judging: {
      known: spent.length,
      mean_usd: meanOrNull(spent),
      usd_90: computeCentralInterval90(spent),
    },
    mean_seconds: meanOrNull(known(outcomes.map(({ seconds }) => seconds))),
  };
}

/**
 * What is believed of a tier for tasks of a complexity: from outcomes of the same complexity where there are enough of them, else from all
 * of the role. Only those of the model that fills the tier now, and after the last reset, count.
 */
export function estimateTierPassRate(
  { windows, control }: RoleLearningState,
  complexity: TaskComplexity,
  { tier, model }: { readonly tier: Tier; readonly model: string },
  enough: number,
): TierPassRateEstimate {
  const since = control.since[tier] ?? '';
  const counts = (outcome: LearnedAttemptOutcome): boolean => outcome.model === model && outcome.at > since;
  const ofTier = windows.filter((each) => each.tier === tier);
  const same = ofTier.filter((each) => each.complexity === complexity).flatMap(({ window }) => window);
  const own = selectLatestAttemptOutcomes(same).filter(counts);
  if (own.length >= enough) return summarise(tier, model, 'complexity', own);
  const all = selectLatestAttemptOutcomes(
    ofTier.flatMap(({ window }) => window),
    Number.POSITIVE_INFINITY,
  ).filter(counts);
  return all.length > own.length
    ? summarise(tier, model, 'role', all)
    : summarise(tier, model, 'complexity', own);
}

/** Tokens of an attempt of which nothing is known yet, half of them input: the seed's number. */
const NOMINAL_TOKENS = 80_000;

/** What tokens of which nothing more is known cost in US dollars, half of them as input; null: the model has no price. */
export function estimateTokenCostUsd(model: string, tokens: number, at: string): number | null {
  const price = modelPrice(model, at);
  return price ? (((price.input + price.output) / 2) * tokens) / 1e6 : null;
}

/** What an attempt costs in US dollars by the price of its model alone; null: the model has none. */
export const nominalAttemptCostUsd = (model: string, at: string): number | null =>
  estimateTokenCostUsd(model, NOMINAL_TOKENS, at);
