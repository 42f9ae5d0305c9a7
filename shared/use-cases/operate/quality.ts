import type * as z from 'zod';
import { type CostQuery, costView, type QualityCost } from '../../control/metrics/cost.ts';
import { type BudgetForecast, forecastView } from '../../control/metrics/forecast.ts';
import type { QualityModels, QualityTrend, QualityView, TrendQuery } from '../../control/metrics/schemas.ts';
import { daysBefore, modelsView, qualityView, trendView, WINDOWS } from '../../control/metrics/views.ts';
import type { CountStore } from '../../store/counts.ts';
import type { FigureStore } from '../../store/figures.ts';

const read = (figures: FigureStore, days: number, now: Date) =>
  figures.days(daysBefore(now, days - 1), daysBefore(now, 0));

/** How work and gates fare, from figures by day: as much work for many tasks as for few. */
export const quality = async (figures: FigureStore, now: Date): Promise<z.infer<typeof QualityView>> =>
  qualityView(await read(figures, WINDOWS.gates, now), now);

export const qualityOfModels = async (
  figures: FigureStore,
  now: Date,
): Promise<z.infer<typeof QualityModels>> => modelsView(await read(figures, WINDOWS.models, now), now);

export const qualityTrend = async (
  figures: FigureStore,
  { days, granularity }: z.infer<typeof TrendQuery>,
  now: Date,
): Promise<z.infer<typeof QualityTrend>> => trendView(await read(figures, days, now), granularity, days, now);

export const qualityCost = async (
  figures: FigureStore,
  { days }: z.infer<typeof CostQuery>,
  now: Date,
): Promise<z.infer<typeof QualityCost>> => costView(await read(figures, days, now), days, now);

/** Days whose costs an estimate is made of; a month is never longer. */
const HISTORY = 31;

export async function budgetForecast(
  figures: FigureStore,
  counts: Pick<CountStore, 'counts'>,
  budget: number | null,
  now: Date,
): Promise<z.infer<typeof BudgetForecast>> {
  const [days, { roles }] = await Promise.all([read(figures, HISTORY, now), counts.counts()]);
  return forecastView(days, roles, budget, now);
}
