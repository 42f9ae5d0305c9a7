import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadNamedSqlQueries } from '../../shared/control/ledger/named-queries.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { defineArgument } from '../parameters.ts';
import type { QueryResult, QueryValue } from '../query/query-result.ts';
import { RECORD_SOURCE_OPTIONS, runSqlOnRecords } from '../query/run-sql.ts';

/** Returns the SQL of a named query, of a file, or of standard input. */
async function readSql(source: string, { io }: LocalCommandSession): Promise<string> {
  if (source === '-') return io.readStdin();
  const named = loadNamedSqlQueries().find(({ name }) => name === source);
  if (named) return named.sql;
  const file = resolve(io.cwd, source);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return readFileSync(file, 'utf8');
  throw new CliError(
    CLI_EXIT_CODES.notFound,
    'no_query',
    `There is no named query and no file "${source}".`,
    {
      hint: '`assay query` lists the named queries; `assay query -` reads SQL from standard input.',
    },
  );
}

const cellText = (value: QueryValue): string => {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

function renderResult({ columns, rows }: QueryResult, session: LocalCommandSession): string {
  if (rows.length === 0) return 'No rows.';
  const isNumber = (index: number): boolean =>
    rows.every((row) => row[index] === null || typeof row[index] === 'number');
  return session.table(
    columns.map((title, index) => ({
      title: title.toUpperCase(),
      ...(isNumber(index) ? { align: 'right' as const } : { shrinkTo: 12 }),
    })),
    rows.map((row) => row.map(cellText)),
  );
}

function listQueries(session: LocalCommandSession): void {
  const queries = loadNamedSqlQueries().map(({ name, about }) => ({ name, about }));
  session.show({ queries }, () =>
    session.table(
      [{ title: 'NAME' }, { title: 'QUESTION', shrinkTo: 20 }],
      queries.map(({ name, about }) => [{ text: name, style: session.out.bold }, about]),
    ),
  );
}

export const queryCommand = defineLocalCommand({
  name: 'query',
  arguments: {
    source: defineArgument(
      '[name|file|-]',
      'a named query, a file of SQL, or - for standard input; none: list the named queries',
    ),
  },
  options: RECORD_SOURCE_OPTIONS,
  json: '`--json` prints `{"columns": [string], "rows": [{column: value}]}`, without a query `{"queries": [{"name", "about"}]}`. Null is unknown.',
  examples: [
    ['query', 'list the named queries'],
    ['query cost-per-accepted-patch', 'on the records of `assay up` in this folder'],
    ['query slow-gates --records ./records --json', 'on a copy of the bucket, for a script'],
    ['query unverified-ratio-by-day --athena --stack Assay', 'on a deployment'],
    ["query - <<< 'SELECT status, count(*) AS n FROM tasks GROUP BY status'", 'your own SQL'],
  ],
  run: async (session, { source, ...options }) => {
    if (source === undefined) {
      listQueries(session);
      return undefined;
    }
    const sql = await readSql(source, session);
    const result = await runSqlOnRecords(sql, options, session);
    const { columns, rows } = result;
    const objects = (): object[] =>
      rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));
    session.show({ columns, rows: session.json ? objects() : [] }, () => renderResult(result, session));
    for (const note of result.notes) session.note(note);
    return undefined;
  },
});
