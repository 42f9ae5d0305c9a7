import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type JS, StatementType } from '@duckdb/node-api';
import { duckdbColumns } from '../../shared/control/ledger/columns.ts';
import { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTable } from '../../shared/control/ledger/rows.ts';
import { count } from '../../shared/lib/format.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Answer, Value } from './answer.ts';
import { hasFiles } from './records.ts';

/** What Athena calls otherwise, or DuckDB does not have: so that one text is understood by both. */
const ATHENA_WORDS = [
  'approx_percentile(x, p) AS quantile_disc(x, p)',
  'cardinality(x) AS len(x)',
  // DuckDB's own says NULL where no condition is known.
  'count_if(x) AS count(CASE WHEN x THEN 1 END)',
  'from_iso8601_timestamp(x) AS CAST(x AS TIMESTAMPTZ)',
  'from_unixtime(x) AS to_timestamp(x)',
  'regexp_like(x, p) AS regexp_matches(x, p)',
  'array_join(x, s) AS array_to_string(x, s)',
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A table of records: a view of its files, by their schema, with the day as `dt`; or an empty one where there is no file yet. */
function define(folder: string, table: RecordTable): string {
  const columns = duckdbColumns(table, RECORD_TABLES[table]);
  if (!hasFiles(folder, table)) {
    const typed = [...columns, { name: 'dt', type: 'VARCHAR' }].map(({ name, type }) => `"${name}" ${type}`);
    return `CREATE TABLE lines_of_${table} (${typed.join(', ')})`;
  }
  const typed = columns.map(({ name, type }) => `"${name}": ${quoted(type)}`).join(', ');
  const files = quoted(join(folder, `table=${table}`, 'dt=*', '*.jsonl'));
  return `CREATE VIEW lines_of_${table} AS SELECT * EXCLUDE ("table") FROM read_json(${files}, format = 'newline_delimited',
    columns = {${typed}}, hive_partitioning = true, hive_types = {'dt': VARCHAR, 'table': VARCHAR}, ignore_errors = true)`;
}

const plain = (value: JS): Value => {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each as JS)]));
  return value as Value;
};

/** What DuckDB says of a text that it does not understand, without the SQL again. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^Failed to extract statements: /, '')
    .split('\n\n')[0] ?? '';

const refused = (message: string, hint?: string): CliError =>
  new CliError(EXIT.usage, 'bad_query', message, { hint });

/** A database in memory that sees the records of a folder, and nothing else of the machine but where it is told to write. */
export class Records {
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(folder: string, target = folder): Promise<Records> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    for (const word of ATHENA_WORDS) await connection.run(`CREATE MACRO ${word}`);
    await connection.run(
      `SET allowed_directories = [${[folder, target].map((each) => quoted(join(each, '/'))).join()}]`,
    );
    await connection.run('SET enable_external_access = false');
    for (const table of RECORD_TABLE_NAMES) {
      await connection.run(define(folder, table));
      await connection.run(
        `CREATE VIEW ${table} AS SELECT * FROM lines_of_${table} WHERE record_id IS NOT NULL`,
      );
    }
    await connection.run('SET lock_configuration = true');
    return new Records(instance, connection);
  }

  /** Lines that are no record: torn ones, of a copy that was cut off. */
  async torn(tables: readonly RecordTable[]): Promise<string[]> {
    const notes: string[] = [];
    for (const table of tables) {
      const reader = await this.#connection.runAndReadAll(
        `SELECT count(*) FROM lines_of_${table} WHERE record_id IS NULL`,
      );
      const torn = Number(reader.getRowsJS()[0]?.[0] ?? 0);
      if (torn > 0) notes.push(`${count(torn, 'line')} of ${table} could not be read and was left out.`);
    }
    return notes;
  }

  /**
   * Answers one question.
   * @throws CliError for what is not one SELECT, or is not understood.
   */
  async ask(sql: string): Promise<Answer> {
    if (sql.trim() === '') throw refused('An empty question has no answer.');
    try {
      const statements = await this.#connection.extractStatements(sql);
      if (statements.count !== 1)
        throw refused(`One question at a time: there are ${statements.count} statements in this one.`);
      const prepared = await statements.prepare(0);
      if (prepared.statementType !== StatementType.SELECT && prepared.statementType !== StatementType.EXPLAIN)
        throw refused('Records are read, never written: only SELECT is answered.');
      const reader = await prepared.runAndReadAll();
      return {
        columns: reader.columnNames(),
        rows: reader.getRowsJS().map((row) => row.map(plain)),
        notes: await this.torn(RECORD_TABLE_NAMES.filter((table) => new RegExp(`\\b${table}\\b`).test(sql))),
      };
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw refused(
        firstLine(error),
        'Tables and columns are in docs/records.md; `assay query` lists named questions.',
      );
    }
  }

  /** Writes a table from a day on (YYYY-MM-DD) as Parquet. Answers how many rows. */
  async exportParquet(table: RecordTable, since: string, file: string): Promise<number> {
    const reader = await this.#connection.runAndReadAll(
      `COPY (SELECT * FROM ${table} WHERE dt >= ${quoted(since)} ORDER BY dt, record_id) TO ${quoted(file)} (FORMAT parquet, COMPRESSION zstd)`,
    );
    return Number(reader.getRowsJS()[0]?.[0] ?? 0);
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
