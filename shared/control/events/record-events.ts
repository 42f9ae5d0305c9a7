import * as z from 'zod';
import type { DerivedRow } from '../ledger/derive-rows.ts';
import { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTableName } from '../ledger/record-rows.ts';

/** Which tables' records are put on the bus as well; a deployment chooses. */
export const PublishedRecordTables = z.array(z.enum(RECORD_TABLE_NAMES)).max(RECORD_TABLE_NAMES.length);

/** A record as it goes to the bus. */
export interface PublishedRecordEvent {
  readonly name: `Record ${RecordTableName}`;
  readonly detail: {
    readonly event_id: string;
    readonly schema_version: 1;
    readonly at: string;
    readonly record: DerivedRow['row'];
  };
}

/** The schema of the detail of each, by its `detail-type`. */
export const PUBLISHED_RECORD_EVENT_SCHEMAS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  RECORD_TABLE_NAMES.map((table) => [
    `Record ${table}`,
    z.object({
      event_id: z.string().describe('`<table>#<record_id>`: the same for each delivery of one record.'),
      schema_version: z.literal(1),
      at: z.iso.datetime({ offset: true }),
      record: RECORD_TABLES[table],
    }),
  ]),
);

/** Times of records are text, or seconds since 1970. */
const timeOf = (timestamp: string | number): string =>
  typeof timestamp === 'number' ? new Date(timestamp * 1_000).toISOString() : timestamp;

/** The events of records whose tables were chosen, each once. */
export function derivePublishedRecordEvents(
  rows: readonly DerivedRow[],
  tables: readonly RecordTableName[],
): PublishedRecordEvent[] {
  const wanted = rows.filter(({ table }) => tables.includes(table));
  const once = new Map(wanted.map(({ table, row }) => [`${table}#${row.record_id}`, { table, row }]));
  return [...once].map(([event_id, { table, row }]) => ({
    name: `Record ${table}`,
    detail: { event_id, schema_version: 1, at: timeOf(row.timestamp), record: row },
  }));
}
