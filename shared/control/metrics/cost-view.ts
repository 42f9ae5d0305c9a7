import * as z from 'zod';
import type { DailyMetrics, WorkMetrics } from './daily-metrics.ts';
import type { AttemptTotals } from './metrics-breakdown.ts';
import {
  formatDateDaysBefore,
  knownCostUsd,
  mapEntriesSortedByKey,
  ratioOrNull,
  roundOrNull,
  selectDaysFrom,
  sumDailyMetrics,
} from './quality-views.ts';

const Cost = z.object({
  count: z.number().int(),
  success: z.number().int(),
  cost_usd: z.number().nullable().describe('Over those with a known cost; null: of none.'),
  cost_unknown: z.number().int(),
  usd_per_success: z
    .number()
    .nullable()
    .describe('cost_usd / success; null: nothing passed, or a cost is unknown.'),
});

export const QualityCostQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(365).default(30) });
export const QualityCost = z
  .object({
    window_days: z.number().int(),
    tasks: Cost.describe('Tasks that completed or failed, with all their attempts.'),
    per_day: z.array(Cost.extend({ date: z.iso.date() })),
    per_role: z.record(z.string(), Cost),
    per_model: z.record(z.string(), Cost).describe('Attempts.'),
    per_tier: z.record(z.string(), Cost).describe('Attempts.'),
    per_repository: z
      .record(z.string(), Cost)
      .describe('Attempts by repository; beyond a hundred a day: `others`.'),
    per_outcome: z.record(z.string(), Cost).describe('Attempts by outcome.'),
    saved_vs_direct_opus_usd: z
      .number()
      .nullable()
      .describe('Over the tasks with a known value; may be negative. Null: of none.'),
    saved_unknown: z.number().int().describe('Tasks with an unknown value.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'QualityCost' });

const costOf = ({
  count,
  success,
  cost_usd,
  with_cost,
}: AttemptTotals | WorkMetrics): z.infer<typeof Cost> => ({
  count,
  success,
  cost_usd: knownCostUsd(cost_usd, count, with_cost),
  cost_unknown: count - with_cost,
  usd_per_success: count === with_cost ? ratioOrNull(cost_usd, success, 6) : null,
});

/** What work costs, by whatever it can be told apart by. */
export function buildQualityCost(
  days: ReadonlyMap<string, DailyMetrics>,
  window: number,
  now: Date,
): z.infer<typeof QualityCost> {
  const within = selectDaysFrom(days, formatDateDaysBefore(now, window - 1));
  const { tasks, roles, models, further } = sumDailyMetrics(within);
  const { saved, tiers, repositories, outcomes } = further;
  return {
    window_days: window,
    tasks: costOf(tasks),
    per_day: [...within]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, figures]) => ({ date, ...costOf(figures.tasks) })),
    per_role: mapEntriesSortedByKey(roles, costOf),
    per_model: mapEntriesSortedByKey(models, costOf),
    per_tier: mapEntriesSortedByKey(tiers, costOf),
    per_repository: mapEntriesSortedByKey(repositories, costOf),
    per_outcome: mapEntriesSortedByKey(outcomes, costOf),
    saved_vs_direct_opus_usd: saved.known === 0 ? null : roundOrNull(saved.usd, 6),
    saved_unknown: saved.unknown,
    generated_at: now.toISOString(),
  };
}
