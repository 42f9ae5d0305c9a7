import type * as z from 'zod';
import { type BudgetForecast, budgetForecastView } from '../../control/metrics/budget-forecast.ts';
import {
  buildQualityCost,
  type QualityCost,
  type QualityCostQuery,
} from '../../control/metrics/cost-view.ts';
import type {
  QualityAuthors,
  QualityAuthorsQuery,
  QualityByModel,
  QualityMetrics,
  QualityTrend,
  QualityTrendQuery,
} from '../../control/metrics/quality-schemas.ts';
import {
  buildQualityAuthors,
  buildQualityByModel,
  buildQualityMetrics,
  buildQualityTrend,
  formatDateDaysBefore,
  QUALITY_METRICS_WINDOW_DAYS,
} from '../../control/metrics/quality-views.ts';
import type { DailyMetricsStore } from '../../store/daily-metrics.ts';
import type { TaskCountStore } from '../../store/task-counts.ts';

const readLastDays = (figures: DailyMetricsStore, days: number, now: Date) =>
  figures.readDays(formatDateDaysBefore(now, days - 1), formatDateDaysBefore(now, 0));

/** How work and gates fare, from figures by day: as much work for many tasks as for few. */
export const readQualityMetrics = async (
  figures: DailyMetricsStore,
  now: Date,
): Promise<z.infer<typeof QualityMetrics>> =>
  buildQualityMetrics(await readLastDays(figures, QUALITY_METRICS_WINDOW_DAYS.gates, now), now);

export const readQualityByModel = async (
  figures: DailyMetricsStore,
  now: Date,
): Promise<z.infer<typeof QualityByModel>> =>
  buildQualityByModel(await readLastDays(figures, QUALITY_METRICS_WINDOW_DAYS.models, now), now);

export const readQualityTrend = async (
  figures: DailyMetricsStore,
  { days, granularity }: z.infer<typeof QualityTrendQuery>,
  now: Date,
): Promise<z.infer<typeof QualityTrend>> =>
  buildQualityTrend(await readLastDays(figures, days, now), granularity, days, now);

export const readQualityCost = async (
  figures: DailyMetricsStore,
  { days }: z.infer<typeof QualityCostQuery>,
  now: Date,
): Promise<z.infer<typeof QualityCost>> =>
  buildQualityCost(await readLastDays(figures, days, now), days, now);

export const readQualityAuthors = async (
  figures: DailyMetricsStore,
  { days }: z.infer<typeof QualityAuthorsQuery>,
  now: Date,
): Promise<z.infer<typeof QualityAuthors>> =>
  buildQualityAuthors(await readLastDays(figures, days, now), days, now);

/** Days whose costs an estimate is made of; a month is never longer. */
const HISTORY = 31;

export async function forecastBudget(
  figures: DailyMetricsStore,
  counts: Pick<TaskCountStore, 'read'>,
  budget: number | null,
  now: Date,
): Promise<z.infer<typeof BudgetForecast>> {
  const [days, { roles }] = await Promise.all([readLastDays(figures, HISTORY, now), counts.read()]);
  return budgetForecastView(days, roles, budget, now);
}
