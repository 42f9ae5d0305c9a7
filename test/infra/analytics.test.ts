import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { REPOSITORY_ROOT } from '../../infra/build.ts';
import { s3ObjectKeys } from '../../shared/contract/resource-names.ts';
import { RECORD_TABLES } from '../../shared/control/ledger/record-rows.ts';
import { buildHiveColumns } from '../../shared/control/ledger/table-columns.ts';
import { only, synthesise, text } from './synthesise.ts';

const template = synthesise();
const tables = Object.values(template.findResources('AWS::Glue::Table')).map(
  (each) => each['Properties'].TableInput,
);

describe('columns', () => {
  it('are of the Hive type that a field is written as', () => {
    const row = z.object({
      name: z.string(),
      version: z.literal(1),
      count: z.number().int(),
      ratio: z.number(),
      done: z.boolean().nullable(),
      result: z.enum(['pass', 'fail']).nullable(),
      source: z.literal('us'),
      at: z.iso.datetime(),
      tags: z.array(z.string()),
      attempts: z.array(z.object({ model: z.string().nullable(), cost_usd: z.number().nullable() })),
    });
    expect(buildHiveColumns('rows', row)).toEqual([
      { name: 'name', type: 'string' },
      { name: 'version', type: 'bigint' },
      { name: 'count', type: 'bigint' },
      { name: 'ratio', type: 'double' },
      { name: 'done', type: 'boolean' },
      { name: 'result', type: 'string' },
      { name: 'source', type: 'string' },
      { name: 'at', type: 'string' },
      { name: 'tags', type: 'array<string>' },
      { name: 'attempts', type: 'array<struct<model:string,cost_usd:double>>' },
    ]);
  });

  it('do not exist for a field that may be of several types, and the field is named', () => {
    const row = z.object({ attempts: z.array(z.object({ value: z.union([z.string(), z.number()]) })) });
    expect(() => buildHiveColumns('rows', row)).toThrow(/rows\.attempts\[\]\.value/);
  });
});

describe('the tables', () => {
  it('are one for each kind of record, with its fields as columns', () => {
    const found = Object.fromEntries(
      tables.map(({ Name, StorageDescriptor }) => [
        Name,
        StorageDescriptor.Columns.map((column: { Name: string }) => column.Name),
      ]),
    );
    const wanted = Object.entries(RECORD_TABLES).map(([name, schema]) => [name, Object.keys(schema.shape)]);
    expect(found).toEqual(Object.fromEntries(wanted));
  });

  it('lie where the ledger writes, and know their days without a crawler', () => {
    for (const { Name, Parameters } of tables) {
      expect(Parameters).toMatchObject({
        'projection.enabled': 'true',
        'projection.dt.type': 'date',
        'projection.dt.format': 'yyyy-MM-dd',
      });
      const place = text(Parameters['storage.location.template']).replace(/^s3:\/\/<StorageBucket\w+>\//, '');
      const written = s3ObjectKeys.records(Name, '2026-11-20', 'batch');
      expect(written.startsWith(place.replace('$' + '{dt}', '2026-11-20'))).toBe(true);
    }
  });
});

describe('the workgroup', () => {
  it('stops a query that would read too much, whatever the client asks for', () => {
    expect(only(template, 'AWS::Athena::WorkGroup').Properties.WorkGroupConfiguration).toMatchObject({
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: 1_073_741_824,
      ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
    });
  });
});

describe('named queries', () => {
  const folder = join(REPOSITORY_ROOT, 'shared/control/ledger/queries');
  const files = readdirSync(folder).map((file) => ({ file, sql: readFileSync(join(folder, file), 'utf8') }));

  it('answer the questions that the records are kept for', () => {
    const queries = Object.values(template.findResources('AWS::Athena::NamedQuery')).map(
      (each) => each['Properties'],
    );
    expect(queries.map(({ Name }) => Name)).toEqual(files.map(({ file }) => file.replace('.sql', '')));
    expect(queries.length).toBeGreaterThanOrEqual(15);
    for (const { Description } of queries) expect(Description).toMatch(/^[A-Z].{20,}\.$/);
  });

  it.each(files)('$file reads tables that exist', ({ sql }) => {
    const defined = [...sql.matchAll(/(\w+) AS \(/g)].map(([, name]) => name);
    const read = [...sql.matchAll(/FROM (\w+)/g)].map(([, name]) => name);
    expect(read.length).toBeGreaterThan(0);
    for (const name of read) expect([...Object.keys(RECORD_TABLES), ...defined]).toContain(name);
  });

  it.each(files.filter(({ file }) => file !== 'duplicate-records.sql'))(
    '$file counts a record once and does not read all days',
    ({ sql }) => {
      const sources = [...sql.matchAll(/FROM (\w+)/g)].filter(([, name]) => name && name in RECORD_TABLES);
      expect(sql.match(/PARTITION BY record_id/g)).toHaveLength(sources.length);
      expect(sql.match(/WHERE dt >= /g)).toHaveLength(sources.length);
    },
  );
});
