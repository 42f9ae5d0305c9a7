import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { beforeEach, expect, test } from 'vitest';
import { queryAthena } from '../../cli/query/athena.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const athena = mockAwsClient(AthenaClient);
beforeEach(() => {
  athena.reset();
  athena.on(StartQueryExecutionCommand).resolves({ QueryExecutionId: 'q' });
});
const client = new AthenaClient({ region: 'eu-west-1' });
const ask = (sql = 'SELECT 1;', timeoutMs = 10_000) =>
  queryAthena(sql, { stack: 'Assay-Prod', timeoutMs }, client);
const is = (State: 'RUNNING' | 'SUCCEEDED' | 'FAILED', more = {}) => ({
  QueryExecution: { Status: { State, ...more }, Statistics: { DataScannedInBytes: 3_145_728 } },
});

test('asks in the workgroup and the database of the stack, waits, reads every page, and says what was read', async () => {
  athena.on(GetQueryExecutionCommand).resolvesOnce(is('RUNNING')).resolves(is('SUCCEEDED'));
  const ResultSetMetadata = {
    ColumnInfo: [
      { Name: 'gate', Type: 'varchar' },
      { Name: 'runs', Type: 'bigint' },
      { Name: 'ok', Type: 'boolean' },
    ],
  };
  const row = (...cells: (string | undefined)[]) => ({
    Data: cells.map((VarCharValue) => ({ VarCharValue })),
  });
  athena
    .on(GetQueryResultsCommand)
    .resolvesOnce({
      NextToken: 'more',
      ResultSet: { ResultSetMetadata, Rows: [row('gate', 'runs', 'ok'), row('7', '12', 'true')] },
    })
    .resolves({ ResultSet: { ResultSetMetadata, Rows: [row(undefined, '0', 'false')] } });
  expect(await ask()).toEqual({
    columns: ['gate', 'runs', 'ok'],
    rows: [
      ['7', 12, true],
      [null, 0, false],
    ],
    notes: ['Athena read 3.0 MB.'],
  });
  expect(athena.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input).toEqual({
    QueryString: 'SELECT 1',
    WorkGroup: 'Assay-Prod',
    QueryExecutionContext: { Database: 'assay_prod' },
  });
});

test.each([
  'DROP TABLE tasks',
  'INSERT INTO tasks SELECT 1',
  '-- a SELECT\nCREATE TABLE x AS SELECT 1',
  'EXPLAIN ANALYZE DELETE FROM tasks',
])('sends nothing that is not a question: %s', async (sql) => {
  await expect(ask(sql)).rejects.toThrow('only SELECT');
  expect(athena.calls()).toEqual([]);
});

test('says what Athena says of a query that failed', async () => {
  athena
    .on(GetQueryExecutionCommand)
    .resolves(is('FAILED', { StateChangeReason: 'line 1:8: no such column' }));
  await expect(ask()).rejects.toThrow('Athena: line 1:8: no such column');
});

test('stops a query that takes too long, so that it costs no more', async () => {
  athena.on(GetQueryExecutionCommand).resolves(is('RUNNING'));
  await expect(ask('SELECT 1', 1)).rejects.toThrow('was stopped');
  expect(athena.commandCalls(StopQueryExecutionCommand)).toHaveLength(1);
});
