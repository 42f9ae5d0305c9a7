import type * as z from 'zod';
import {
  addFigures,
  type Figures,
  type GateFigures,
  NO_FIGURES,
  NO_JUDGING,
  type Worked,
} from './figures.ts';
import { type GateWord, NOTHING_FURTHER } from './further.ts';
import { percentile } from './histogram.ts';
import type { ModelQuality, QualityTrend, QualityView } from './schemas.ts';
import { trendOf } from './trend.ts';

export const rounded = (value: number | null, digits: number): number | null =>
  value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits;
/** Null of nothing: no data is not a good result. */
export const ratio = (part: number, whole: number, digits = 4): number | null =>
  whole === 0 ? null : rounded(part / whole, digits);

/** A sum of costs of which some are unknown; null where none is known, and so is the sum. */
export const knownUsd = (usd: number, of: number, known: number, digits = 6): number | null =>
  of > 0 && known === 0 ? null : rounded(usd, digits);

const seconds = (worked: Worked, p: number): number | null => rounded(percentile(worked.by_seconds, p), 3);
/**
 * success_rate = success / count; average seconds over those of which they are known; p50, p90 and p99: the seed's percentile, to 2.5 %.
 */
const times = (worked: Worked) => ({
  total_tasks: worked.count,
  success_rate: ratio(worked.success, worked.count),
  avg_completion_seconds: ratio(worked.seconds, worked.with_seconds, 3),
  p50_completion_seconds: seconds(worked, 0.5),
  p90_completion_seconds: seconds(worked, 0.9),
  p99_completion_seconds: seconds(worked, 0.99),
});
/** avg_tokens and avg_cost_usd: over the attempts of which they are known. */
const modelView = (worked: Worked): z.infer<typeof ModelQuality> => ({
  ...times(worked),
  avg_tokens: ratio(worked.tokens, worked.with_tokens, 1),
  avg_cost_usd: ratio(worked.cost_usd, worked.with_cost, 6),
  cost_usd: knownUsd(worked.cost_usd, worked.count, worked.with_cost),
  cost_unknown: worked.count - worked.with_cost,
});
/**
 * pass_rate = pass / total, of runs that counted. false_block_rate = approved / looked at, of the work that it held. false_green_rate =
 * rejected later / passed: what a person has said no to, of what it had passed.
 */
const gateView = ({ total, pass, blocked, flagged, seconds: spent }: GateFigures, word?: GateWord) => ({
  total,
  pass,
  blocked,
  flagged,
  pass_rate: ratio(pass, total),
  seconds: rounded(spent, 3) ?? 0,
  held: word?.held ?? 0,
  false_blocks: word?.false_blocks ?? 0,
  false_block_rate: ratio(word?.false_blocks ?? 0, word?.held ?? 0),
  false_greens: word?.false_greens ?? 0,
  false_green_rate: ratio(Math.min(word?.false_greens ?? 0, pass), pass),
});

export const mapped = <T, U>(
  record: Readonly<Record<string, T>>,
  view: (value: T, key: string) => U,
): Record<string, U> =>
  Object.fromEntries(
    Object.entries(record)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, view(value, key)]),
  );

export const sumOf = (days: ReadonlyMap<string, Figures>): Figures =>
  [...days.values()].reduce(addFigures, NO_FIGURES);
/** Only the days from `first` on. */
export const since = (days: ReadonlyMap<string, Figures>, first: string): Map<string, Figures> =>
  new Map([...days].filter(([day]) => day >= first));

/** `days` before a day, as YYYY-MM-DD. */
export const daysBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

/** Completions of 7 days, gates of 30, as the seed has them; a window includes today. */
export const WINDOWS = { completions: 7, gates: 30, models: 30 } as const;

const judgingView = ({ judging = NO_JUDGING }: Figures) => {
  const known = (usd: number) => knownUsd(usd, judging.attempts, judging.with_cost);
  return {
    attempts: judging.attempts,
    cost_usd: known(judging.cost_usd),
    gates_cost_usd: known(judging.gates_cost_usd),
    cost_unknown: judging.attempts - judging.with_cost,
  };
};

export function qualityView(days: ReadonlyMap<string, Figures>, now: Date): z.infer<typeof QualityView> {
  const recent = sumOf(since(days, daysBefore(now, WINDOWS.completions - 1)));
  const month = sumOf(since(days, daysBefore(now, WINDOWS.gates - 1)));
  const gates = Object.values(month.gates);
  const total = gates.reduce((sum, each) => sum + each.total, 0);
  const held = gates.reduce((sum, each) => sum + each.blocked + each.flagged, 0);
  const { approved, rejected } = month.reviews;
  return {
    overall: times(recent.tasks),
    per_model: mapped(recent.models, modelView),
    per_role: mapped(recent.roles, times),
    gate_stats: mapped(month.gates, (gate, name) => gateView(gate, month.further?.words[name])),
    // (total - blocked - flagged) / total
    guardrail_pass_rate: ratio(total - held, total),
    judging: judgingView(sumOf(since(days, daysBefore(now, WINDOWS.models - 1)))),
    // rejected / (approved + rejected)
    review_rejection_rate: ratio(rejected, approved + rejected),
    windows: WINDOWS,
    generated_at: now.toISOString(),
  };
}

export const modelsView = (days: ReadonlyMap<string, Figures>, now: Date) => ({
  models: mapped(sumOf(since(days, daysBefore(now, WINDOWS.models - 1))).models, modelView),
  window_days: WINDOWS.models,
  generated_at: now.toISOString(),
});

/** The Monday (UTC) of a day's week. */
function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/** unverified_ratio = unverified / completions; the rest as it is named, each null of nothing. */
function furtherOf({ gates, further = NOTHING_FURTHER }: Figures) {
  const { completions, saved, tiers, queue } = further;
  const all = completions.verified + completions.unverified;
  return {
    completions: all,
    unverified: completions.unverified,
    unverified_ratio: ratio(completions.unverified, all),
    saved_usd: saved.known === 0 ? null : rounded(saved.usd, 6),
    tier_pass_rates: mapped(tiers, ({ success, count }) => ratio(success, count)),
    gate_seconds: mapped(gates, ({ seconds: spent, total }) => ratio(spent, total, 3)),
    queue_p50_seconds: rounded(percentile(queue.by_seconds, 0.5), 3),
    queue_p90_seconds: rounded(percentile(queue.by_seconds, 0.9), 3),
  };
}

export function trendView(
  days: ReadonlyMap<string, Figures>,
  granularity: 'day' | 'week',
  window: number,
  now: Date,
): z.infer<typeof QualityTrend> {
  const spans = Map.groupBy(since(days, daysBefore(now, Math.max(0, window - 1))), ([day]) =>
    granularity === 'week' ? mondayOf(day) : day,
  );
  const series = [...spans]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, entries]) => {
      const figures = sumOf(new Map(entries));
      return {
        date,
        ts: Date.parse(`${date}T00:00:00Z`) / 1_000,
        tasks_total: figures.tasks.count,
        tasks_success: figures.tasks.success,
        success_rate: ratio(figures.tasks.success, figures.tasks.count),
        cost_usd: knownUsd(figures.tasks.cost_usd, figures.tasks.count, figures.tasks.with_cost),
        cost_unknown: figures.tasks.count - figures.tasks.with_cost,
        judging_cost_usd: judgingView(figures).cost_usd,
        avg_quality_score: ratio(figures.scores?.sum ?? 0, figures.scores?.count ?? 0, 1),
        ...furtherOf(figures),
        gate_pass_rates: mapped(figures.gates, ({ pass, total }) => ratio(pass, total)),
      };
    });
  const scores = series.flatMap(({ avg_quality_score: score }) => (score === null ? [] : [score]));
  return {
    granularity,
    window_days: window,
    series,
    quality_trend: trendOf(scores),
    generated_at: now.toISOString(),
  };
}
