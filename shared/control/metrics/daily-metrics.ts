import type { DerivedRow } from '../ledger/derive-rows.ts';
import { addHistograms, addToHistogram, type Histogram } from './histogram.ts';
import {
  addMetricsBreakdowns,
  addNamedSums,
  addRecordToBreakdown,
  EMPTY_METRICS_BREAKDOWN,
  type MetricsBreakdown,
} from './metrics-breakdown.ts';

/** Some things that were counted, with what they took: sums over those of which it is known, beside how many those are. */
export interface WorkMetrics {
  readonly count: number;
  readonly success: number;
  readonly seconds: number;
  readonly with_seconds: number;
  readonly by_seconds: Histogram;
  readonly tokens: number;
  readonly with_tokens: number;
  readonly cost_usd: number;
  readonly with_cost: number;
}

export interface GateMetrics {
  readonly total: number;
  readonly pass: number;
  readonly blocked: number;
  readonly flagged: number;
  readonly seconds: number;
}

/** What happened in a span of time, as numbers that can be added up. */
export interface DailyMetrics {
  /** Tasks that came to their goal or failed. */
  readonly tasks: WorkMetrics;
  readonly roles: Readonly<Record<string, WorkMetrics>>;
  /** Attempts by model. */
  readonly models: Readonly<Record<string, WorkMetrics>>;
  readonly gates: Readonly<Record<string, GateMetrics>>;
  readonly reviews: { readonly approved: number; readonly rejected: number };
  /** Cost of judging attempts. */
  readonly judging: JudgingMetrics;
  /** Quality scores of attempts. */
  readonly scores: { readonly sum: number; readonly count: number };
  readonly further: MetricsBreakdown;
}

/** Sums over the attempts of which it is known, beside how many there are. */
export interface JudgingMetrics {
  readonly attempts: number;
  readonly cost_usd: number;
  readonly gates_cost_usd: number;
  readonly with_cost: number;
}
export const EMPTY_JUDGING_METRICS: JudgingMetrics = {
  attempts: 0,
  cost_usd: 0,
  gates_cost_usd: 0,
  with_cost: 0,
};
const NO_SCORES = { sum: 0, count: 0 };

const NOTHING_DONE: WorkMetrics = {
  count: 0,
  success: 0,
  seconds: 0,
  with_seconds: 0,
  by_seconds: {},
  tokens: 0,
  with_tokens: 0,
  cost_usd: 0,
  with_cost: 0,
};
const NO_RUNS: GateMetrics = { total: 0, pass: 0, blocked: 0, flagged: 0, seconds: 0 };
export const EMPTY_DAILY_METRICS: DailyMetrics = {
  tasks: NOTHING_DONE,
  roles: {},
  models: {},
  gates: {},
  reviews: { approved: 0, rejected: 0 },
  judging: EMPTY_JUDGING_METRICS,
  scores: NO_SCORES,
  further: EMPTY_METRICS_BREAKDOWN,
};

interface WorkSample {
  readonly success: boolean;
  readonly seconds: number | null;
  readonly tokens: number | null;
  readonly cost: number | null;
}

const workOf = ({ success, seconds, tokens, cost }: WorkSample): WorkMetrics => ({
  count: 1,
  success: success ? 1 : 0,
  seconds: seconds ?? 0,
  with_seconds: seconds === null ? 0 : 1,
  by_seconds: seconds === null ? {} : addToHistogram({}, seconds),
  tokens: tokens ?? 0,
  with_tokens: tokens === null ? 0 : 1,
  cost_usd: cost ?? 0,
  with_cost: cost === null ? 0 : 1,
});

const addJudging = (a: JudgingMetrics, b: JudgingMetrics): JudgingMetrics => ({
  attempts: a.attempts + b.attempts,
  cost_usd: a.cost_usd + b.cost_usd,
  gates_cost_usd: a.gates_cost_usd + b.gates_cost_usd,
  with_cost: a.with_cost + b.with_cost,
});
const addScores = (a: DailyMetrics['scores'], b: DailyMetrics['scores']): DailyMetrics['scores'] => ({
  sum: a.sum + b.sum,
  count: a.count + b.count,
});

/** Adds what one record says. Records of kinds that no figure is made of change nothing. */
export const addRecordToDailyMetrics = (sum: DailyMetrics, derived: DerivedRow): DailyMetrics => ({
  ...addRecordToWork(sum, derived),
  further: addRecordToBreakdown(sum.further, derived),
});

function addRecordToWork(sum: DailyMetrics, derived: DerivedRow): DailyMetrics {
  switch (derived.table) {
    case 'quality_gates': {
      const { gate, result, duration_ms } = derived.row;
      const run = { ...NO_RUNS, total: 1, [result]: 1, seconds: duration_ms / 1_000 };
      return { ...sum, gates: addNamedSums(sum.gates, { [gate]: run }, addGates) };
    }
    case 'cascade_chains': {
      const { role, succeeded, total_cost_usd: cost, attempts } = derived.row;
      const tokens = attempts.map(({ tokens_used }) => tokens_used);
      const took = attempts.map(({ latency_s }) => latency_s);
      const one = { success: succeeded, seconds: totalOf(took), tokens: totalOf(tokens), cost };
      return {
        ...sum,
        tasks: addWorked(sum.tasks, workOf(one)),
        roles: addNamedSums(sum.roles, { [role]: workOf(one) }, addWorked),
      };
    }
    case 'cascade_attempts': {
      const { model, success, latency_s: seconds, tokens_used: tokens, cost_usd: cost } = derived.row;
      const work = workOf({ success, seconds, tokens, cost });
      const { judging_cost_usd: judging, gates_cost_usd: gates, quality_score: score } = derived.row;
      return {
        ...sum,
        models: addNamedSums(sum.models, { [model ?? 'unknown']: work }, addWorked),
        judging: addJudging(sum.judging, {
          attempts: 1,
          cost_usd: judging ?? 0,
          gates_cost_usd: gates ?? 0,
          with_cost: judging === null ? 0 : 1,
        }),
        scores: addScores(sum.scores, score === null ? NO_SCORES : { sum: score, count: 1 }),
      };
    }
    case 'reviews': {
      const { approved, rejected } = sum.reviews;
      const { decision } = derived.row;
      return {
        ...sum,
        reviews: {
          approved: approved + (decision === 'approve' ? 1 : 0),
          rejected: rejected + (decision === 'reject' ? 1 : 0),
        },
      };
    }
    default:
      return sum;
  }
}

/** Null when a part of it is unknown. */
const totalOf = (parts: readonly (number | null)[]): number | null =>
  parts.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0 as number | null);

const addWorked = (a: WorkMetrics, b: WorkMetrics): WorkMetrics => ({
  count: a.count + b.count,
  success: a.success + b.success,
  seconds: a.seconds + b.seconds,
  with_seconds: a.with_seconds + b.with_seconds,
  by_seconds: addHistograms(a.by_seconds, b.by_seconds),
  tokens: a.tokens + b.tokens,
  with_tokens: a.with_tokens + b.with_tokens,
  cost_usd: a.cost_usd + b.cost_usd,
  with_cost: a.with_cost + b.with_cost,
});
const addGates = (a: GateMetrics, b: GateMetrics): GateMetrics => ({
  total: a.total + b.total,
  pass: a.pass + b.pass,
  blocked: a.blocked + b.blocked,
  flagged: a.flagged + b.flagged,
  seconds: a.seconds + b.seconds,
});

export const addDailyMetrics = (a: DailyMetrics, b: DailyMetrics): DailyMetrics => ({
  tasks: addWorked(a.tasks, b.tasks),
  roles: addNamedSums(a.roles, b.roles, addWorked),
  models: addNamedSums(a.models, b.models, addWorked),
  gates: addNamedSums(a.gates, b.gates, addGates),
  reviews: {
    approved: a.reviews.approved + b.reviews.approved,
    rejected: a.reviews.rejected + b.reviews.rejected,
  },
  judging: addJudging(a.judging, b.judging),
  scores: addScores(a.scores, b.scores),
  further: addMetricsBreakdowns(a.further, b.further),
});
