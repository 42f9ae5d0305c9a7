import type * as z from 'zod';
import {
  addDailyMetrics,
  type DailyMetrics,
  EMPTY_DAILY_METRICS,
  type GateMetrics,
  type WorkMetrics,
} from './daily-metrics.ts';
import { histogramPercentile } from './histogram.ts';
import type { GateAccuracy } from './metrics-breakdown.ts';
import type { ModelQuality, QualityAuthors, QualityMetrics, QualityTrend } from './quality-schemas.ts';

/** How many of the latest scores a trend is made of. */
const LATEST = 10;
/** A slope of more than this from one score to the next is a trend. */
const STEEP = 2;

/** Whether scores get better, by the slope of the least squares through the latest of them; `stable` with fewer than two. */
export function classifyScoreTrend(all: readonly number[]): 'improving' | 'stable' | 'declining' {
  const scores = all.slice(-LATEST);
  if (scores.length < 2) return 'stable';
  const middle = (scores.length - 1) / 2;
  const mean = scores.reduce((sum, each) => sum + each, 0) / scores.length;
  const over = scores.reduce((sum, each, at) => sum + (at - middle) * (each - mean), 0);
  const under = scores.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  const slope = over / under;
  return slope > STEEP ? 'improving' : slope < -STEEP ? 'declining' : 'stable';
}

export const roundOrNull = (value: number | null, digits: number): number | null =>
  value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits;
/** Null of nothing: no data is not a good result. */
export const ratioOrNull = (part: number, whole: number, digits = 4): number | null =>
  whole === 0 ? null : roundOrNull(part / whole, digits);

/** A sum of costs of which some are unknown; null where none is known, and so is the sum. */
export const knownCostUsd = (usd: number, of: number, known: number, digits = 6): number | null =>
  of > 0 && known === 0 ? null : roundOrNull(usd, digits);

const seconds = (worked: WorkMetrics, p: number): number | null =>
  roundOrNull(histogramPercentile(worked.by_seconds, p), 3);
/**
 * success_rate = success / count; average seconds over those of which they are known; p50, p90 and p99: the seed's percentile, to 2.5 %.
 */
const times = (worked: WorkMetrics) => ({
  total_tasks: worked.count,
  success_rate: ratioOrNull(worked.success, worked.count),
  avg_completion_seconds: ratioOrNull(worked.seconds, worked.with_seconds, 3),
  p50_completion_seconds: seconds(worked, 0.5),
  p90_completion_seconds: seconds(worked, 0.9),
  p99_completion_seconds: seconds(worked, 0.99),
});
/** avg_tokens and avg_cost_usd: over the attempts of which they are known. */
const modelView = (worked: WorkMetrics): z.infer<typeof ModelQuality> => ({
  ...times(worked),
  avg_tokens: ratioOrNull(worked.tokens, worked.with_tokens, 1),
  avg_cost_usd: ratioOrNull(worked.cost_usd, worked.with_cost, 6),
  cost_usd: knownCostUsd(worked.cost_usd, worked.count, worked.with_cost),
  cost_unknown: worked.count - worked.with_cost,
});
/**
 * pass_rate = pass / total, of runs that counted. false_block_rate = approved / looked at, of the work that it held. false_green_rate =
 * rejected later / passed: what a person has said no to, of what it had passed.
 */
const gateView = ({ total, pass, blocked, flagged, seconds: spent }: GateMetrics, word?: GateAccuracy) => ({
  total,
  pass,
  blocked,
  flagged,
  pass_rate: ratioOrNull(pass, total),
  seconds: roundOrNull(spent, 3) ?? 0,
  reviewed_blocks: word?.held ?? 0,
  false_blocks: word?.false_blocks ?? 0,
  false_block_rate: ratioOrNull(word?.false_blocks ?? 0, word?.held ?? 0),
  false_greens: word?.false_greens ?? 0,
  false_green_rate: ratioOrNull(Math.min(word?.false_greens ?? 0, pass), pass),
});

export const mapEntriesSortedByKey = <T, U>(
  record: Readonly<Record<string, T>>,
  view: (value: T, key: string) => U,
): Record<string, U> =>
  Object.fromEntries(
    Object.entries(record)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, view(value, key)]),
  );

export const sumDailyMetrics = (days: ReadonlyMap<string, DailyMetrics>): DailyMetrics =>
  [...days.values()].reduce(addDailyMetrics, EMPTY_DAILY_METRICS);
/** Only the days from `first` on. */
export const selectDaysFrom = (
  days: ReadonlyMap<string, DailyMetrics>,
  first: string,
): Map<string, DailyMetrics> => new Map([...days].filter(([day]) => day >= first));

/** `days` before a day, as YYYY-MM-DD. */
export const formatDateDaysBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

/** Completions of 7 days, gates of 30, as the seed has them; a window includes today. */
export const QUALITY_METRICS_WINDOW_DAYS = { completions: 7, gates: 30, models: 30 } as const;

const judgingView = ({ judging }: DailyMetrics) => {
  const known = (usd: number) => knownCostUsd(usd, judging.attempts, judging.with_cost);
  return {
    attempts: judging.attempts,
    cost_usd: known(judging.cost_usd),
    gates_cost_usd: known(judging.gates_cost_usd),
    cost_unknown: judging.attempts - judging.with_cost,
  };
};

export function buildQualityMetrics(
  days: ReadonlyMap<string, DailyMetrics>,
  now: Date,
): z.infer<typeof QualityMetrics> {
  const recent = sumDailyMetrics(
    selectDaysFrom(days, formatDateDaysBefore(now, QUALITY_METRICS_WINDOW_DAYS.completions - 1)),
  );
  const month = sumDailyMetrics(
    selectDaysFrom(days, formatDateDaysBefore(now, QUALITY_METRICS_WINDOW_DAYS.gates - 1)),
  );
  const gates = Object.values(month.gates);
  const total = gates.reduce((sum, each) => sum + each.total, 0);
  const held = gates.reduce((sum, each) => sum + each.blocked + each.flagged, 0);
  const { approved, rejected } = month.reviews;
  return {
    overall: times(recent.tasks),
    per_model: mapEntriesSortedByKey(recent.models, modelView),
    per_role: mapEntriesSortedByKey(recent.roles, times),
    gate_stats: mapEntriesSortedByKey(month.gates, (gate, name) => gateView(gate, month.further.words[name])),
    // (total - blocked - flagged) / total
    guardrail_pass_rate: ratioOrNull(total - held, total),
    judging: judgingView(
      sumDailyMetrics(
        selectDaysFrom(days, formatDateDaysBefore(now, QUALITY_METRICS_WINDOW_DAYS.models - 1)),
      ),
    ),
    // rejected / (approved + rejected)
    review_rejection_rate: ratioOrNull(rejected, approved + rejected),
    windows: QUALITY_METRICS_WINDOW_DAYS,
    generated_at: now.toISOString(),
  };
}

export const buildQualityByModel = (days: ReadonlyMap<string, DailyMetrics>, now: Date) => ({
  models: mapEntriesSortedByKey(
    sumDailyMetrics(selectDaysFrom(days, formatDateDaysBefore(now, QUALITY_METRICS_WINDOW_DAYS.models - 1)))
      .models,
    modelView,
  ),
  window_days: QUALITY_METRICS_WINDOW_DAYS.models,
  generated_at: now.toISOString(),
});

/** The Monday (UTC) of a day's week. */
function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/** unverified_ratio = unverified / completions; the rest as it is named, each null of nothing. */
function breakdownView({ gates, further }: DailyMetrics) {
  const { completions, saved, tiers, queue } = further;
  const all = completions.verified + completions.unverified;
  return {
    completions: all,
    unverified: completions.unverified,
    unverified_ratio: ratioOrNull(completions.unverified, all),
    saved_usd: saved.known === 0 ? null : roundOrNull(saved.usd, 6),
    tier_pass_rates: mapEntriesSortedByKey(tiers, ({ success, count }) => ratioOrNull(success, count)),
    gate_seconds: mapEntriesSortedByKey(gates, ({ seconds: spent, total }) => ratioOrNull(spent, total, 3)),
    queue_p50_seconds: roundOrNull(histogramPercentile(queue.by_seconds, 0.5), 3),
    queue_p90_seconds: roundOrNull(histogramPercentile(queue.by_seconds, 0.9), 3),
  };
}

export function buildQualityTrend(
  days: ReadonlyMap<string, DailyMetrics>,
  granularity: 'day' | 'week',
  window: number,
  now: Date,
): z.infer<typeof QualityTrend> {
  const spans = Map.groupBy(
    selectDaysFrom(days, formatDateDaysBefore(now, Math.max(0, window - 1))),
    ([day]) => (granularity === 'week' ? mondayOf(day) : day),
  );
  const series = [...spans]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, entries]) => {
      const figures = sumDailyMetrics(new Map(entries));
      return {
        date,
        ts: Date.parse(`${date}T00:00:00Z`) / 1_000,
        tasks_total: figures.tasks.count,
        tasks_success: figures.tasks.success,
        success_rate: ratioOrNull(figures.tasks.success, figures.tasks.count),
        cost_usd: knownCostUsd(figures.tasks.cost_usd, figures.tasks.count, figures.tasks.with_cost),
        cost_unknown: figures.tasks.count - figures.tasks.with_cost,
        judging_cost_usd: judgingView(figures).cost_usd,
        avg_quality_score: ratioOrNull(figures.scores.sum, figures.scores.count, 1),
        ...breakdownView(figures),
        gate_pass_rates: mapEntriesSortedByKey(figures.gates, ({ pass, total }) => ratioOrNull(pass, total)),
      };
    });
  const scores = series.flatMap(({ avg_quality_score: score }) => (score === null ? [] : [score]));
  return {
    granularity,
    window_days: window,
    series,
    quality_trend: classifyScoreTrend(scores),
    generated_at: now.toISOString(),
  };
}

/** How the work of each author fares: what passes, what it costs, and what is reverted after it was merged. */
export function buildQualityAuthors(
  days: ReadonlyMap<string, DailyMetrics>,
  window: number,
  now: Date,
): z.infer<typeof QualityAuthors> {
  const { authors } = sumDailyMetrics(selectDaysFrom(days, formatDateDaysBefore(now, window - 1))).further;
  return {
    authors: mapEntriesSortedByKey(authors, (each) => ({
      verified: each.count,
      passed: each.success,
      pass_rate: ratioOrNull(each.success, each.count),
      cost_usd: knownCostUsd(each.cost_usd, each.count, each.with_cost),
      cost_unknown: each.count - each.with_cost,
      usd_per_pass: each.count === each.with_cost ? ratioOrNull(each.cost_usd, each.success, 6) : null,
      merged: each.merged,
      reverted: each.reverted,
      revert_rate: each.reverted > each.merged ? null : ratioOrNull(each.reverted, each.merged),
    })),
    window_days: window,
    generated_at: now.toISOString(),
  };
}
