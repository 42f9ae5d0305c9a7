import { setTimeout as wait } from 'node:timers/promises';
import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { QueryResult, QueryValue } from './query-result.ts';

/** Pause between two reads of the state of a query: Athena takes at least a second or two. */
const POLL_MS = 500;
const NUMBERS = new Set(['tinyint', 'smallint', 'integer', 'bigint', 'double', 'float', 'real', 'decimal']);

const cell = (text: string | undefined, type: string | undefined): QueryValue => {
  if (text === undefined) return null;
  if (type === 'boolean') return text === 'true';
  return type !== undefined && NUMBERS.has(type) ? Number(text) : text;
};

/** In Athena's SQL the first word decides: statements that write begin with their verb, and WITH belongs to SELECT. */
const READ_STATEMENT = /^\s*(?:--[^\n]*\n\s*)*(?:select|with|values|show|describe)\b/i;

function readOnlySql(sql: string): string {
  const text = sql.trim().replace(/;$/, '');
  if (!READ_STATEMENT.test(text))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_query',
      'Records are read-only: only SELECT is sent to Athena.',
    );
  return text;
}

async function finishedExecution(
  client: AthenaClient,
  id: string,
  signal: AbortSignal,
): Promise<QueryExecution> {
  for (;;) {
    const { QueryExecution: execution } = await client.send(
      new GetQueryExecutionCommand({ QueryExecutionId: id }),
    );
    const state = execution?.Status?.State;
    if (execution && (state === 'SUCCEEDED' || state === 'FAILED' || state === 'CANCELLED')) return execution;
    try {
      await wait(POLL_MS, undefined, { signal });
    } catch {
      await client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }));
      throw new CliError(
        CLI_EXIT_CODES.timeout,
        'timeout',
        `Athena exceeded the time limit; query ${id} was stopped.`,
      );
    }
  }
}

/**
 * Runs one query in Athena, in the workgroup and the database of a stack.
 * @throws CliError with Athena's own reason when the query fails
 */
export async function queryAthena(
  sql: string,
  { stack, timeoutMs }: { readonly stack: string; readonly timeoutMs: number },
  client = new AthenaClient({}),
): Promise<QueryResult> {
  const { QueryExecutionId: id } = await client.send(
    new StartQueryExecutionCommand({
      QueryString: readOnlySql(sql),
      WorkGroup: stack,
      QueryExecutionContext: { Database: stack.toLowerCase().replaceAll('-', '_') },
    }),
  );
  const execution = await finishedExecution(client, id ?? '', AbortSignal.timeout(timeoutMs));
  if (execution.Status?.State !== 'SUCCEEDED')
    throw new CliError(
      CLI_EXIT_CODES.failed,
      'query_failed',
      `Athena: ${execution.Status?.StateChangeReason ?? `the query is ${execution.Status?.State}`}`,
    );
  const rows: QueryValue[][] = [];
  let columns: readonly { readonly Name?: string; readonly Type?: string }[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new GetQueryResultsCommand({ QueryExecutionId: id, ...(token !== undefined && { NextToken: token }) }),
    );
    columns = (page.ResultSet?.ResultSetMetadata?.ColumnInfo ?? []).map(({ Name = '', Type = '' }) => ({
      Name,
      Type,
    }));
    for (const { Data = [] } of page.ResultSet?.Rows ?? [])
      rows.push(Data.map(({ VarCharValue }, index) => cell(VarCharValue, columns[index]?.Type)));
    token = page.NextToken;
  } while (token !== undefined);
  const bytes = execution.Statistics?.DataScannedInBytes ?? 0;
  return {
    columns: columns.map(({ Name = '' }) => Name),
    // The first row of a SELECT has the names of the columns.
    rows: rows.slice(1),
    notes: [`Athena read ${(bytes / 1_048_576).toFixed(1)} MB.`],
  };
}
