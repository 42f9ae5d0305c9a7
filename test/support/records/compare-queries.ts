import { expect } from 'vitest';
import { InMemoryRecordsDatabase } from '../../../cli/query/records-database.ts';
import { loadNamedSqlQueries } from '../../../shared/control/ledger/named-queries.ts';
import { EXPECTED_QUERY_RESULTS, readRecordTables } from './expected-query-results.ts';

/** Floats that were added in another order differ in their last digits. */
const settled = (cell: unknown): unknown => (typeof cell === 'number' ? Number(cell.toPrecision(9)) : cell);
const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row.map(settled))).toSorted();

/** A half in the fifth decimal may be rounded either way, by what was added first. */
const LAST_PLACE = 1.000001e-4;
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'number' &&
    typeof other === 'number' &&
    !(Number.isInteger(one) && Number.isInteger(other)) &&
    Math.abs(one - other) <= LAST_PLACE);
/** The rows with the cells of the other side where these are the same. */
const asIn = (rows: readonly string[], other: readonly string[]): string[] =>
  rows.map((row, index) => {
    const cells = JSON.parse(other[index] ?? '[]') as unknown[];
    return JSON.stringify(
      (JSON.parse(row) as unknown[]).map((cell, at) => (isSame(cell, cells[at]) ? cells[at] : cell)),
    );
  });

/** Holds every named query against plain computation over the same files. Answers how many rows there were in all. */
export async function compareNamedQueries(folder: string): Promise<number> {
  const tables = readRecordTables(folder);
  const records = await InMemoryRecordsDatabase.open(folder);
  let count = 0;
  for (const { name, sql } of loadNamedSqlQueries()) {
    const plain = EXPECTED_QUERY_RESULTS[name];
    if (!plain) continue;
    const { rows } = await records.query(sql);
    const expected = sorted(plain(tables));
    expect(asIn(sorted(rows), expected), name).toEqual(expected);
    count += rows.length;
  }
  records.close();
  return count;
}
