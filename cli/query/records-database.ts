import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type JS,
  StatementType,
} from '@duckdb/node-api';
import {
  RECORD_TABLE_NAMES,
  RECORD_TABLES,
  type RecordTableName,
} from '../../shared/control/ledger/record-rows.ts';
import { buildDuckdbColumns } from '../../shared/control/ledger/table-columns.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { QueryResult, QueryValue } from './query-result.ts';
import { hasRecordFiles } from './records.ts';

/** Functions of Athena that DuckDB lacks or names differently: one SQL text runs on both. */
const ATHENA_FUNCTIONS = [
  'approx_percentile(x, p) AS quantile_disc(x, p)',
  'cardinality(x) AS len(x)',
  // DuckDB's own returns NULL where every condition is null.
  'count_if(x) AS count(CASE WHEN x THEN 1 END)',
  // DuckDB's own returns a list.
  'element_at(m, k) AS map_extract_value(m, k)',
  'from_iso8601_timestamp(x) AS CAST(x AS TIMESTAMPTZ)',
  'from_unixtime(x) AS to_timestamp(x)',
  'regexp_like(x, p) AS regexp_matches(x, p)',
  'array_join(x, s) AS array_to_string(x, s)',
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the SQL that defines a table of records: a view of its files with the day as `dt`, or an empty table if there is no file. */
function tableDefinition(folder: string, table: RecordTableName): string {
  const columns = buildDuckdbColumns(table, RECORD_TABLES[table]);
  if (!hasRecordFiles(folder, table)) {
    const typed = [...columns, { name: 'dt', type: 'VARCHAR' }].map(({ name, type }) => `"${name}" ${type}`);
    return `CREATE TABLE lines_of_${table} (${typed.join(', ')})`;
  }
  const typed = columns.map(({ name, type }) => `"${name}": ${quoted(type)}`).join(', ');
  const files = quoted(join(folder, `table=${table}`, 'dt=*', '*.jsonl'));
  return `CREATE VIEW lines_of_${table} AS SELECT * EXCLUDE ("table") FROM read_json(${files}, format = 'newline_delimited',
    columns = {${typed}}, hive_partitioning = true, hive_types = {'dt': VARCHAR, 'table': VARCHAR}, ignore_errors = true)`;
}

const toQueryValue = (value: JS): QueryValue => {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toQueryValue);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, each]) => [String(key), toQueryValue(each)]));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toQueryValue(each as JS)]));
  return value as QueryValue;
};

/** The message of a DuckDB error without the SQL that it repeats. */
const errorMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^Failed to extract statements: /, '')
    .split('\n\n')[0] ?? '';

const badQuery = (message: string, hint?: string): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'bad_query', message, { hint });

/** A database in memory over the records of a folder. It can read nothing else of the machine, and write to `target` only. */
export class InMemoryRecordsDatabase {
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(folder: string, target = folder): Promise<InMemoryRecordsDatabase> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    for (const macro of ATHENA_FUNCTIONS) await connection.run(`CREATE MACRO ${macro}`);
    await connection.run(
      `SET allowed_directories = [${[folder, target].map((each) => quoted(join(each, '/'))).join()}]`,
    );
    await connection.run('SET enable_external_access = false');
    for (const table of RECORD_TABLE_NAMES) {
      await connection.run(tableDefinition(folder, table));
      await connection.run(
        `CREATE VIEW ${table} AS SELECT * FROM lines_of_${table} WHERE record_id IS NOT NULL`,
      );
    }
    await connection.run('SET lock_configuration = true');
    return new InMemoryRecordsDatabase(instance, connection);
  }

  /** Returns a note for each table with lines that are no record, such as those of a truncated copy. */
  async unreadableLines(tables: readonly RecordTableName[]): Promise<string[]> {
    const notes: string[] = [];
    for (const table of tables) {
      const reader = await this.#connection.runAndReadAll(
        `SELECT count(*) FROM lines_of_${table} WHERE record_id IS NULL`,
      );
      const unreadable = Number(reader.getRowsJS()[0]?.[0] ?? 0);
      if (unreadable > 0)
        notes.push(`${formatCount(unreadable, 'line')} of ${table} could not be read and was left out.`);
    }
    return notes;
  }

  /**
   * Runs one query.
   * @throws CliError if the text is not exactly one SELECT, or has an error
   */
  async query(sql: string): Promise<QueryResult> {
    if (sql.trim() === '') throw badQuery('The query is empty.');
    try {
      const statements = await this.#connection.extractStatements(sql);
      if (statements.count !== 1) throw badQuery(`Give one statement, not ${statements.count}.`);
      const prepared = await statements.prepare(0);
      await this.#requireSelect(prepared, sql);
      const reader = await prepared.runAndReadAll();
      return {
        columns: reader.columnNames(),
        rows: reader.getRowsJS().map((row) => row.map(toQueryValue)),
        notes: await this.unreadableLines(
          RECORD_TABLE_NAMES.filter((table) => new RegExp(`\\b${table}\\b`).test(sql)),
        ),
      };
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw badQuery(
        errorMessage(error),
        'Tables and columns are in docs/reference/records.md; `assay query` lists named queries.',
      );
    }
  }

  /**
   * Checks that a statement only reads. EXPLAIN ANALYZE runs what it explains, so that must be a SELECT too.
   * @throws CliError for any other statement
   */
  async #requireSelect({ statementType }: DuckDBPreparedStatement, sql: string): Promise<void> {
    if (statementType === StatementType.SELECT) return;
    const [, explained] = /^\s*EXPLAIN(?:\s+ANALYZE)?\s+(?!ANALYZE\b)(\S.*)$/is.exec(sql) ?? [];
    if (statementType === StatementType.EXPLAIN && explained !== undefined) {
      const statements = await this.#connection.extractStatements(explained);
      const { statementType: inner } = await statements.prepare(0);
      if (statements.count === 1 && inner === StatementType.SELECT) return;
    }
    throw badQuery('Records are read-only: only SELECT is allowed, and EXPLAIN of one.');
  }

  /** Writes the rows of a table since a day (YYYY-MM-DD) as Parquet. Returns the number of rows. */
  async exportParquet(table: RecordTableName, since: string, file: string): Promise<number> {
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
