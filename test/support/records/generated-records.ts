import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type * as z from 'zod';
import { RECORD_TABLE_NAMES, type RecordTableName } from '../../../shared/control/ledger/record-rows.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Values of few kinds, so that they come again in several rows. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  task_id: ['t-1', 't-2', 't-3', 't-4'],
  gate: ['lint', 'tests', 'types'],
  role: ['backend', 'docs'],
  model: ['small', 'large'],
  repository: ['https://example.com/a.git', "https://example.com/o'b.git"],
};

/** Rows that a schema allows. What is a time is one of today or before; numbers are of the size that they have. */
export function createRowArbitrary(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const options =
    schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null);
  if (options) return fc.oneof(...options.map((option) => createRowArbitrary(option as JsonSchema, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.nat(name === 'attempt' || name === 'version' ? 3 : 100_000);
    case 'number':
      return fc.nat(100_000).map((each) => each / 1_000);
    case 'array':
      return fc.array(createRowArbitrary(schema.items as JsonSchema, name), { maxLength: 3 });
    case 'object':
      if (!schema.properties) return fc.dictionary(fc.constantFrom('a', 'b'), fc.string());
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties).map(([key, each]) => [
            key,
            createRowArbitrary(each as JsonSchema, key),
          ]),
        ),
      );
    default:
      if (schema.format === 'date-time')
        return fc.nat(1_000_000).map((ago) => new Date(Date.UTC(2026, 10, 20) - ago * 1_000).toISOString());
      return fc.constantFrom(...(NAMES[name] ?? ['x', 'y', 'z']));
  }
}

/** Writes rows as the ledger does: below `table=…/dt=…/`, some of them twice and on another day. */
export function writeRecords(
  folder: string,
  rows: Readonly<
    Partial<Record<RecordTableName, readonly { readonly row: object; readonly copies: readonly number[] }[]>>
  >,
  today: Date,
): void {
  for (const table of RECORD_TABLE_NAMES)
    for (const [index, { row, copies }] of (rows[table] ?? []).entries())
      for (const [copy, daysAgo] of copies.entries()) {
        const day = new Date(today.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10);
        const to = join(folder, `table=${table}`, `dt=${day}`);
        mkdirSync(to, { recursive: true });
        writeFileSync(join(to, `${index}-${copy}.jsonl`), `${JSON.stringify(row)}\n`);
      }
}
