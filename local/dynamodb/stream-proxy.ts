import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoopbackAccessRule, LoopbackListener } from '../../shared/lib/loopback-listener.ts';
import type { AwsJsonAnswer, AwsJsonClient } from '../http/aws-json.ts';
import { listenOnPreferredPort, readBody, sendJson } from '../http/listen.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import type { OperationCounters } from '../shared-types.ts';
import { tableArn } from '../template/identity.ts';
import { getItemKey } from './item-image.ts';
import type { WriteOperation } from './item-write.ts';
import type { ItemWriter } from './item-writer.ts';
import type { TableSpec } from './tables.ts';

/**
 * Operations whose changes the proxy could not record one by one, or not make atomically as DynamoDB does.
 */
const REFUSED = new Set([
  'BatchWriteItem',
  'TransactWriteItems',
  'TransactGetItems',
  'ExecuteStatement',
  'BatchExecuteStatement',
  'ExecuteTransaction',
  'ImportTable',
  'RestoreTableFromBackup',
  'RestoreTableToPointInTime',
]);
const WRITES: readonly WriteOperation[] = ['PutItem', 'UpdateItem', 'DeleteItem'];
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

interface StreamProxyOptions {
  readonly engine: AwsJsonClient;
  readonly writer: ItemWriter;
  readonly tables: readonly TableSpec[];
  readonly counters: OperationCounters;
  readonly port?: number;
  readonly rule: LoopbackAccessRule;
}

/**
 * Starts the DynamoDB endpoint of the stack, which passes reads to the engine and writes to the writer: so
 * every change is in the stream.
 */
export function startStreamProxy(options: StreamProxyOptions): Promise<LoopbackListener> {
  const { engine, writer, tables, counters, rule, port = 0 } = options;
  const byName = new Map(
    tables.flatMap((table) => [table.name, tableArn(table.name)].map((name) => [name, table])),
  );

  async function answer(operation: string, request: UnknownRecord): Promise<AwsJsonAnswer> {
    if (REFUSED.has(operation)) return refused(operation);
    const write = WRITES.find((name) => name === operation);
    const table = byName.get(String(request['TableName']));
    if (write !== undefined) {
      if (table === undefined) return engine.call(operation, request);
      return writer.write(table, write, { ...request, TableName: table.name });
    }
    return READS.has(operation) ? read(operation, table, request) : engine.call(operation, request);
  }

  async function read(
    operation: string,
    table: TableSpec | undefined,
    request: UnknownRecord,
  ): Promise<AwsJsonAnswer> {
    const asked = request['ReturnConsumedCapacity'];
    const sent = asked === undefined || asked === 'NONE' ? 'TOTAL' : asked;
    const { status, body } = await engine.call(operation, { ...request, ReturnConsumedCapacity: sent });
    const key =
      operation === 'GetItem' && table !== undefined ? getItemKey(request['Key'], table.keyNames) : null;
    await writer.whenLogged(table, key ?? undefined);
    const { ConsumedCapacity: consumed, ...rest } = body;
    for (const part of Array.isArray(consumed) ? consumed : [consumed]) {
      if (isRecord(part)) counters.add('DynamoDB', 'ReadUnits', Number(part['CapacityUnits']));
    }
    return { status, body: sent === asked ? body : rest };
  }

  return listenOnPreferredPort(
    rule,
    (request, response) => {
      void serve(request, response, async (operation, body) => {
        counters.add('DynamoDB', operation);
        return answer(operation, body);
      });
    },
    port,
  );
}

const refused = (operation: string): AwsJsonAnswer => ({
  status: 400,
  body: {
    __type: 'com.amazon.coral.service#UnknownOperationException',
    message: `${operation} is refused by the embedded DynamoDB, because its stream records would not be exact. Use PutItem, UpdateItem or DeleteItem.`,
  },
});

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (operation: string, body: UnknownRecord) => Promise<AwsJsonAnswer>,
): Promise<void> {
  const type = 'application/x-amz-json-1.0';
  try {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const body = await readBody(request);
    const parsed: unknown = JSON.parse(body?.toString('utf8') || 'null');
    if (!isRecord(parsed)) {
      sendJson(response, 400, { __type: 'com.amazon.coral.service#SerializationException' }, type);
      return;
    }
    const { status, body: answered } = await answer(operation, parsed);
    sendJson(response, status, answered, type);
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    const code = isSyntax
      ? 'com.amazon.coral.service#SerializationException'
      : 'com.amazonaws.dynamodb.v20120810#InternalServerError';
    const message = error instanceof Error ? error.message : String(error);
    sendJson(response, isSyntax ? 400 : 500, { __type: code, message }, type);
  }
}
