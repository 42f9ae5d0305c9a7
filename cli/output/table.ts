import { displayWidth, padEnd, padStart, toOneLine, truncateToWidth } from './text.ts';

type Style = (text: string) => string;
export type TextTableCell = string | { readonly text: string; readonly style?: Style | undefined };

export interface TextTableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Minimum width on a narrow terminal. Absent: the column is never cut. */
  readonly shrinkTo?: number;
  /** Omitted if the table does not fit with it. */
  readonly optional?: boolean;
}

const GAP = '  ';
const textOf = (cell: TextTableCell): string => toOneLine(typeof cell === 'string' ? cell : cell.text);
const styleOf = (cell: TextTableCell): Style =>
  typeof cell === 'string' ? (text) => text : (cell.style ?? ((text) => text));

/** Narrows the widest columns that may shrink, until the row fits or all have their minimum. */
function shrinkColumns(
  columns: readonly TextTableColumn[],
  natural: readonly number[],
  width: number,
): number[] {
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

/** Renders each row as a block of `title: value` lines. */
function renderBlocks(
  columns: readonly TextTableColumn[],
  rows: readonly (readonly TextTableCell[])[],
  width: number,
): string {
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
 * Renders a table without borders.
 * @param width in terminal columns. To fit it, first cells shrink, then optional columns are omitted from the last one on, and at last each
 *   row becomes a block. Undefined: nothing is cut, so that the output can be searched.
 */
export function renderTable(
  columns: readonly TextTableColumn[],
  rows: readonly (readonly TextTableCell[])[],
  width: number | undefined,
  heading: Style = (text) => text,
): string {
  const natural = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(textOf(row[index] ?? '')))),
  );
  const widths = width === undefined ? natural : shrinkColumns(columns, natural, width);
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  if (width !== undefined && total > width) {
    const spare = columns.findLastIndex((column) => column.optional);
    if (spare < 0) return renderBlocks(columns, rows, width);
    return renderTable(
      columns.toSpliced(spare, 1),
      rows.map((row) => row.toSpliced(spare, 1)),
      width,
      heading,
    );
  }

  const line = (cells: readonly TextTableCell[]): string =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? '';
        const size = widths[index] ?? 0;
        const text = truncateToWidth(textOf(cell), size);
        // Padding is outside of the style, so that underlines and backgrounds end with the text.
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
