import { toJsonList, toJsonRecord } from '../../reports/tool-report.ts';

/** Keys under which tools give an average. */
const AVERAGES = ['average_complexity', 'average', 'mean_complexity'] as const;

export interface AverageComplexity {
  readonly average: number;
  /** Files that could not be read. */
  readonly unreadable: readonly string[];
}

/**
 * The average complexity in a bare number; in JSON with an average, or with lists of things that have a `complexity`, as radon
 * writes it; or in lizard's CSV, whose second column it is. No function at all has none: 0.
 * @throws when the text is nothing of these.
 */
export function parseComplexity(text: string): AverageComplexity {
  const trimmed = text.trim();
  if (/^\d{1,15}(\.\d{1,15})?$/.test(trimmed)) return { average: Number(trimmed), unreadable: [] };
  if (trimmed === '' || /^\d+,\d+,/.test(trimmed)) return fromRows(trimmed);
  const value = JSON.parse(trimmed) as unknown;
  const named = AVERAGES.map((key) => toJsonRecord(value)[key]).find((each) => typeof each === 'number');
  if (named !== undefined) return { average: Number(named), unreadable: [] };
  const entries = Object.entries(toJsonRecord(value));
  const blocks = [value, ...entries.map(([, each]) => each)].flatMap(toJsonList);
  const unreadable = entries.flatMap(([file, each]) =>
    toJsonRecord(each)['error'] === undefined ? [] : [file],
  );
  const numbers = blocks
    .map((block) => toJsonRecord(block)['complexity'])
    .filter((each) => typeof each === 'number');
  return { average: mean(numbers), unreadable };
}

const fromRows = (text: string): AverageComplexity => ({
  average: mean(
    text.split('\n').flatMap((line) => {
      const match = /^\d{1,9},(\d{1,9}),/.exec(line);
      return match ? [Number(match[1])] : [];
    }),
  ),
  unreadable: [],
});

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** How much more complex it became, as a share of what it was; 0 where there was nothing before. */
export const computeRelativeGrowth = (base: number, current: number): number =>
  base === 0 ? 0 : (current - base) / base;
