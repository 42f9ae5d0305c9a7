import type * as z from 'zod';
import type { QualityModels, QualityTrend, QualityView, TrendQuery } from '../quality/schemas.ts';
import { daysBefore, modelsView, qualityView, trendView, WINDOWS } from '../quality/views.ts';
import type { FigureStore } from '../store/figures.ts';

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
