import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { InMemoryRecordsDatabase } from '../../cli/query/records-database.ts';
import { loadNamedSqlQueries } from '../../shared/control/ledger/named-queries.ts';
import {
  RECORD_TABLE_NAMES,
  RECORD_TABLES,
  type RecordTableName,
} from '../../shared/control/ledger/record-rows.ts';
import { compareNamedQueries } from '../support/records/compare-queries.ts';
import { EXPECTED_QUERY_RESULTS } from '../support/records/expected-query-results.ts';
import { createRowArbitrary, writeRecords } from '../support/records/generated-records.ts';
import { assay } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-query-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rows of every table, each under an id of its own, up to three times and on any of the last days. */
const madeUp = fc.record(
  Object.fromEntries(
    RECORD_TABLE_NAMES.map((table) => [
      table,
      fc.array(
        fc.record({
          row: createRowArbitrary(
            z.toJSONSchema(RECORD_TABLES[table], { io: 'output' }),
          ) as fc.Arbitrary<object>,
          copies: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
        }),
        { maxLength: 60 },
      ),
    ]),
  ),
);
type MadeUp = Record<string, { row: object; copies: number[] }[]>;
const withIds = (tables: MadeUp): MadeUp =>
  Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      rows.map(({ row, copies }, index) => ({
        copies,
        row: {
          ...row,
          record_id: `${table}-${index}`,
          // Of a task no two changes have the same one.
          ...(table === 'tasks' ? { version: index } : {}),
        },
      })),
    ]),
  );

let runs = 0;
const write = (tables: MadeUp): string => {
  const to = join(folder, String(runs++));
  mkdirSync(to);
  writeRecords(to, withIds(tables), new Date());
  return to;
};

describe('a named query', () => {
  it('is each one that has a plain answer beside it', () => {
    expect(loadNamedSqlQueries().map(({ name }) => name)).toEqual(
      [...Object.keys(EXPECTED_QUERY_RESULTS), 'duplicate-records'].sort(),
    );
  });

  it('answers what plain computation answers, whatever the records are', async () => {
    await fc.assert(
      fc.asyncProperty(madeUp, async (tables) => {
        await compareNamedQueries(write(tables as MadeUp));
      }),
      { numRuns: 4, seed: 7 },
    );
  });

  it('answers without a row where nothing has been recorded yet', async () => {
    expect(await compareNamedQueries(write({}))).toBe(0);
  });

  it('names a record that was written twice, once', async () => {
    const [sample] = fc.sample(madeUp, { numRuns: 1, seed: 3 });
    const row = { ...(sample?.['tasks']?.[0]?.row ?? {}), task_id: 't' };
    const to = write({
      tasks: [
        { row, copies: [3, 1] },
        { row, copies: [2] },
      ],
    });
    const records = await InMemoryRecordsDatabase.open(to);
    const sql = loadNamedSqlQueries().find(({ name }) => name === 'duplicate-records')?.sql ?? '';
    const { rows } = await records.query(sql);
    records.close();
    expect(rows).toEqual([['tasks', 'tasks-0', expect.any(String), 2]]);
  });
});

describe('assay query', () => {
  const records = write({});
  const day = join(records, 'table=verification_nudges', 'dt=2026-11-20');
  mkdirSync(day, { recursive: true });
  writeFileSync(
    join(day, 'a.jsonl'),
    `${JSON.stringify({ record_id: 'a', schema_version: 9, task_id: 't', verified: true, what_comes_later: { x: 1 } })}\n{"record_id":"b","ver`,
  );
  const query = (...args: string[]) => assay(['query', ...args, '--records', records]);
  const ask = (sql: string, ...args: string[]) =>
    assay(['query', '-', ...args, '--records', records], { stdin: sql });

  it('lists what has a name', async () => {
    const { stdout, code } = await assay(['query']);
    expect(code).toBe(0);
    expect(stdout).toContain('cost-per-accepted-patch');
  });

  it("answers a question of one's own, reads over fields of a later version, and says what it could not read", async () => {
    const { stdout, stderr, code } = await ask('SELECT record_id, dt FROM verification_nudges', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      columns: ['record_id', 'dt'],
      rows: [{ record_id: 'a', dt: '2026-11-20' }],
    });
    expect(stderr).toContain('1 line of verification_nudges could not be read');
  });

  it.each([
    ['two statements', 'SELECT 1; SELECT 2', /one statement, not 2/],
    ['nothing', ' \n', /query is empty/],
    ['a write', `COPY (SELECT 1) TO '${join(records, 'x.csv')}'`, /only SELECT/],
    ['a write elsewhere', "COPY (SELECT 1) TO 'x.csv'", /disabled by configuration/],
    ['a change of the settings', 'SET enable_external_access = true', /only SELECT/],
    ['another file of the machine', "SELECT * FROM read_text('/etc/hostname')", /disabled by configuration/],
    ['a table that there is not', 'SELECT * FROM secrets', /secrets/],
    ['what is no SQL', 'what escalates?', /syntax error/],
  ])('refuses %s, and says why', async (_what, sql, why) => {
    const { stdout, stderr, code } = await ask(sql);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(why);
  });

  it('says where to look when there is no such query, and when there are no records', async () => {
    const unknown = await query('what-else');
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('`assay query` lists')]);
    const nowhere = await assay(['query', 'slow-gates', '--records', join(folder, 'none')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('there is no folder')]);
    const none = await assay(['query', 'slow-gates'], { cwd: folder });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('aws s3 sync')]);
    const file = await assay(['query', 'slow-gates', '--records', join(day, 'a.jsonl')]);
    expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('there is no folder')]);
    const notAFile = await query(folder);
    expect([notAFile.code, notAFile.stderr]).toEqual([
      5,
      expect.stringContaining('no named query and no file'),
    ]);
  });

  it('answers every named query of an empty bucket, and says that there is nothing', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    for (const { name } of loadNamedSqlQueries()) {
      const { code, stderr } = await assay(['query', name, '--records', empty, '--json']);
      expect([code, stderr], name).toEqual([0, expect.stringContaining(`${empty} has no records`)]);
    }
    const to = join(folder, 'of-nothing');
    const exported = await assay(['export', '--since', '2026-01-01', '--records', empty, '--to', to]);
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain('tasks.parquet: 0 rows');
    expect(exported.stderr).toContain('has no records');
  });

  it('says of an export, too, what could not be read', async () => {
    const to = join(folder, 'torn');
    const { code, stdout, stderr } = await assay([
      'export',
      '--since',
      '2026-01-01',
      '--records',
      records,
      '--to',
      to,
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('verification_nudges.parquet: 1 row\n');
    expect(stderr).toContain('1 line of verification_nudges could not be read and was left out.');
  });
});

describe('assay export', () => {
  it('writes each table from a day on as Parquet, which is read back as it was', async () => {
    const [sample] = fc.sample(madeUp, { numRuns: 1, seed: 11 });
    const from = write(sample as MadeUp);
    const to = join(folder, 'parquet');
    const all = await assay(['export', '--since', '2026-01-01', '--to', to, '--records', from, '--json']);
    expect(all.code).toBe(0);
    const written = JSON.parse(all.stdout).files as { table: RecordTableName; rows: number }[];
    const records = await InMemoryRecordsDatabase.open(from, to);
    for (const { table, rows } of written) {
      const { rows: lines } = await records.query(`SELECT * FROM ${table} ORDER BY ALL`);
      const { rows: read } = await records.query(
        `SELECT * FROM read_parquet('${join(to, `${table}.parquet`)}') ORDER BY ALL`,
      );
      expect(rows).toBe(lines.length);
      expect(read).toEqual(lines);
    }
    records.close();
    const later = await assay(['export', '--since', '2999-01-01', '--to', to, '--records', from]);
    expect(later.stdout).toContain('tasks.parquet: 0 rows');
  });

  it('wants a day', async () => {
    const { code, stderr } = await assay(['export', '--since', 'yesterday']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('YYYY-MM-DD')]);
  });
});

describe('a query', () => {
  it.each([
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'FILE'",
    "explain  analyze\ncopy (SELECT 1) TO 'FILE'",
    "/* x */ EXPLAIN ANALYZE COPY (SELECT 1) TO 'FILE'",
    "EXPLAIN (ANALYZE) COPY (SELECT 1) TO 'FILE'",
    "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO 'FILE'",
    "-- x\nEXPLAIN ANALYZE COPY (SELECT 1) TO 'FILE'",
    'EXPLAIN ANALYZE CREATE TABLE mine AS SELECT 1',
    "EXPLAIN ANALYZE EXPLAIN ANALYZE COPY (SELECT 1) TO 'FILE'",
    "COPY (SELECT 1) TO 'FILE'",
  ])('writes nothing: %s', async (sql) => {
    const records = mkdtempSync(join(tmpdir(), 'assay-query-'));
    const database = await InMemoryRecordsDatabase.open(records);
    try {
      const file = join(records, 'written.csv');
      await expect(database.query(sql.replace('FILE', file))).rejects.toMatchObject({ code: 'bad_query' });
      expect(existsSync(file)).toBe(false);
      expect((await database.query('EXPLAIN ANALYZE SELECT 1')).rows.length).toBeGreaterThan(0);
      expect((await database.query('EXPLAIN SELECT 1')).rows.length).toBeGreaterThan(0);
    } finally {
      database.close();
      rmSync(records, { recursive: true });
    }
  });
});
