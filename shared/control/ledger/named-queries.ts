import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NamedSqlQuery {
  readonly name: string;
  /** The question that it answers: its first line. */
  readonly about: string;
  readonly sql: string;
}

const FOLDER = join(import.meta.dirname, 'queries');

/** Questions about the records that somebody has put into SQL, one for each file of queries/. Athena and DuckDB run the same text. */
export const loadNamedSqlQueries = (): NamedSqlQuery[] =>
  readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const sql = readFileSync(join(FOLDER, file), 'utf8');
      return {
        name: file.replace(/\.sql$/, ''),
        about: sql.slice(0, sql.indexOf('\n')).replace(/^-- /, ''),
        sql,
      };
    });
