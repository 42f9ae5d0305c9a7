import { setTimeout as wait } from 'node:timers/promises';
import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { CliError, EXIT } from '../exit.ts';
import type { Answer, Value } from './answer.ts';

/** Milliseconds between two looks at a query that runs: Athena takes a second or two at the least. */
const PAUSE_MS = 500;
const NUMBERS = new Set(['tinyint', 'smallint', 'integer', 'bigint', 'double', 'float', 'real', 'decimal']);

const cell = (text: string | undefined, type: string | undefined): Value => {
  if (text === undefined) return null;
  if (type === 'boolean') return text === 'true';
  return type !== undefined && NUMBERS.has(type) ? Number(text) : text;
};

/** The first word decides in Athena's SQL: what writes begins with its verb, and a WITH belongs to a SELECT. */
const READS = /^\s*(?:--[^\n]*\n\s*)*(?:select|with|values|show|describe)\b/i;

function checked(sql: string): string {
  const text = sql.trim().replace(/;$/, '');
  if (!READS.test(text))
    throw new CliError(
      EXIT.usage,
      'bad_query',
      'Records are read, never written: only SELECT is sent to Athena.',
    );
  return text;
}

async function finished(client: AthenaClient, id: string, signal: AbortSignal): Promise<QueryExecution> {
  for (;;) {
    const { QueryExecution: execution } = await client.send(
      new GetQueryExecutionCommand({ QueryExecutionId: id }),
    );
    const state = execution?.Status?.State;
    if (execution && (state === 'SUCCEEDED' || state === 'FAILED' || state === 'CANCELLED')) return execution;
    try {
      await wait(PAUSE_MS, undefined, { signal });
    } catch {
      await client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }));
      throw new CliError(EXIT.timeout, 'timeout', `Athena had no answer in time; query ${id} was stopped.`);
    }
  }
}

/**
 * Answers one question with Athena, in the workgroup and the database that a stack of this name has.
 * @throws CliError with what Athena says where it does not.
 */
export async function askAthena(
  sql: string,
  { stack, timeoutMs }: { readonly stack: string; readonly timeoutMs: number },
  client = new AthenaClient({}),
): Promise<Answer> {
  const { QueryExecutionId: id } = await client.send(
    new StartQueryExecutionCommand({
      QueryString: checked(sql),
      WorkGroup: stack,
      QueryExecutionContext: { Database: stack.toLowerCase().replaceAll('-', '_') },
    }),
  );
  const execution = await finished(client, id ?? '', AbortSignal.timeout(timeoutMs));
  if (execution.Status?.State !== 'SUCCEEDED')
    throw new CliError(
      EXIT.failed,
      'query_failed',
      `Athena: ${execution.Status?.StateChangeReason ?? `the query is ${execution.Status?.State}`}`,
    );
  const rows: Value[][] = [];
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
    // Athena's first row of a SELECT is the names of its columns.
    rows: rows.slice(1),
    notes: [`Athena read ${(bytes / 1_048_576).toFixed(1)} MB.`],
  };
}
