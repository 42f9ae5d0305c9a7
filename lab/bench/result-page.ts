import { readFileSync, writeFileSync } from 'node:fs';
import { renderTable } from '../../cli/output/table.ts';

export type ResultTable = readonly [head: readonly string[], ...rows: readonly (readonly string[])[]];
export type ResultSection = readonly [title: string, table: ResultTable];

export const formatMs = (value: number): string => `${Math.round(value)} ms`;
export const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** When and where figures were measured. */
export interface MeasurementContext {
  readonly at: string;
  readonly machine: string;
}

/** The figures for a terminal. */
export const renderText = ({ at, machine }: MeasurementContext, sections: readonly ResultSection[]): string =>
  [
    `${at}, ${machine}`,
    ...sections.map(([title, [head, ...rows]]) => {
      const columns = head.map((each, index) => ({
        title: each,
        align: index === 0 ? ('left' as const) : ('right' as const),
      }));
      return `${title}\n${renderTable(columns, rows, undefined)}`;
    }),
  ].join('\n\n');

/** The figures for docs/measurements/performance.md. `part`: what to measure to get them again. */
export const renderMarkdown = (
  { at, machine }: MeasurementContext,
  part: string,
  sections: readonly ResultSection[],
): string =>
  [
    `Measured ${at.slice(0, 10)} on ${machine}, by \`npm run bench -- --only ${part} --write\`.`,
    ...sections.map(([title, [head, ...rows]]) => {
      const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
      return [`### ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
    }),
  ].join('\n\n');

/** Replaces what stands between the markers of a part in `file`. Throws when it has none. */
export function replaceMarkedPart(file: string, part: string, figures: string): void {
  const begin = `<!-- figures of ${part}: written by \`npm run bench -- --write\` -->`;
  const end = `<!-- end of figures of ${part} -->`;
  const page = readFileSync(file, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures of ${part}`);
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`);
}
