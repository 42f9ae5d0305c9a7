import { expect } from 'vitest';
import { Records } from '../../../cli/query/duckdb.ts';
import { namedQueries } from '../../../shared/ledger/named-queries.ts';
import { PLAIN_ANSWERS, tablesOf } from './plain-answers.ts';

/** Floats that were added in another order differ in their last digits. */
const settled = (cell: unknown): unknown => (typeof cell === 'number' ? Number(cell.toPrecision(9)) : cell);
const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row.map(settled))).toSorted();

/** Holds every named query against plain computation over the same files. Answers how many rows there were in all. */
export async function compareAll(folder: string): Promise<number> {
  const tables = tablesOf(folder);
  const records = await Records.open(folder);
  let count = 0;
  for (const { name, sql } of namedQueries()) {
    const plain = PLAIN_ANSWERS[name];
    if (!plain) continue;
    const { rows } = await records.ask(sql);
    expect(sorted(rows), name).toEqual(sorted(plain(tables)));
    count += rows.length;
  }
  records.close();
  return count;
}
