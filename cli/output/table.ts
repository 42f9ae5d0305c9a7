import { displayWidth, padEnd, padStart, toOneLine, truncateToWidth } from './text.ts';

type Style = (text: string) => string;
export type Cell = string | { readonly text: string; readonly style?: Style | undefined };

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** May be cut down to this many columns when the terminal is narrow. Absent: is never cut. */
  readonly shrinkTo?: number;
  /** Left out when the table would not fit with it. */
  readonly optional?: boolean;
}

const GAP = '  ';
const textOf = (cell: Cell): string => toOneLine(typeof cell === 'string' ? cell : cell.text);
const styleOf = (cell: Cell): Style =>
  typeof cell === 'string' ? (text) => text : (cell.style ?? ((text) => text));

/** Takes columns from the widest that may shrink until the row fits, or all are at their least. */
function shrink(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - width;
  while (excess > 0) {
    const spare = columns.map((column, index) =>
      column.shrinkTo === undefined ? 0 : (widths[index] ?? 0) - column.shrinkTo,
    );
    const widest = Math.max(...spare);
    if (widest <= 0) break;
    const index = spare.indexOf(widest);
    widths[index] = (widths[index] ?? 0) - 1;
    excess--;
  }
  return widths;
}

/** Each row as a block of `title: value` lines: what a table becomes when its columns do not fit. */
function stacked(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): string {
  const label = Math.max(...columns.map((column) => column.title.length)) + 2;
  return rows
    .map((row) =>
      columns
        .flatMap((column, index) => {
          const cell = row[index] ?? '';
          const text = truncateToWidth(textOf(cell), Math.max(8, width - label));
          return text === '' ? [] : [padEnd(`${column.title}:`, label) + styleOf(cell)(text)];
        })
        .join('\n'),
    )
    .join('\n\n');
}

/**
 * A table without borders. `width` in columns: cells shrink to fit it; when that is not enough, optional columns are left
 * out, the last one first; and when that is not enough either, each row becomes a block. Undefined: nothing is cut, so that the output can be searched.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number | undefined,
  heading: Style = (text) => text,
): string {
  const natural = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(textOf(row[index] ?? '')))),
  );
  const widths = width === undefined ? natural : shrink(columns, natural, width);
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  if (width !== undefined && total > width) {
    const spare = columns.findLastIndex((column) => column.optional);
    if (spare < 0) return stacked(columns, rows, width);
    return renderTable(
      columns.toSpliced(spare, 1),
      rows.map((row) => row.toSpliced(spare, 1)),
      width,
      heading,
    );
  }

  const line = (cells: readonly Cell[]): string =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? '';
        const size = widths[index] ?? 0;
        const text = truncateToWidth(textOf(cell), size);
        // Padding stays outside the style, so that underlines and backgrounds end with the text.
        const padding = ' '.repeat(Math.max(0, size - displayWidth(text)));
        const styled = styleOf(cell)(text);
        return column.align === 'right' ? padding + styled : styled + padding;
      })
      .join(GAP)
      .trimEnd();
  const head = columns
    .map((column, index) => (column.align === 'right' ? padStart : padEnd)(column.title, widths[index] ?? 0))
    .join(GAP)
    .trimEnd();
  return [heading(head), ...rows.map(line)].join('\n');
}
