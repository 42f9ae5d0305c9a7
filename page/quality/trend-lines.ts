import type * as z from 'zod';
import type { QualityTrend } from '../../shared/control/metrics/quality-schemas.ts';

export type TrendSeries = z.infer<typeof QualityTrend>['series'];
export interface NamedLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** Names that stand in any entry, those with the most entries first. */
const namesIn = (all: readonly Readonly<Record<string, unknown>>[]): string[] => {
  const counts = new Map<string, number>();
  for (const name of all.flatMap((each) => Object.keys(each))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
};

/** A line for each name of a map that the entries have, at most `most`; where an entry does not know it there is a gap. */
export function trendLinesByName(
  series: TrendSeries,
  map: (entry: TrendSeries[number]) => Readonly<Record<string, number | null>>,
  most = 5,
): NamedLine[] {
  const maps = series.map(map);
  return namesIn(maps)
    .slice(0, most)
    .map((name) => ({ name, values: maps.map((each) => each[name] ?? null) }));
}
