import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DynamoDBClient, PutItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCounters } from '../../../local/counters.ts';
import type { Image } from '../../../local/dynamodb/image.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import type { Intent } from '../../../local/dynamodb/journal.ts';
import { clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let notices: string[] = [];

beforeEach(() => {
  notices = [];
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());
const expectNothingSaid = () => expect(notices).toEqual([]);

const fail = (error: unknown): never => {
  throw error;
};

async function withDynamo<T>(use: (dynamo: Dynamo, client: DynamoDBClient) => Promise<T>): Promise<T> {
  const dynamo = await startDynamo({
    dataDir: directory.path,
    resources: [TABLE],
    counters: createCounters(),
    onFailure: fail,
    onError: (message) => notices.push(message),
  });
  dynamo.journal.register(new Map([['test', 'TRIM_HORIZON']]));
  const client = new DynamoDBClient(clientConfig(dynamo.endpoint));
  try {
    return await use(dynamo, client);
  } finally {
    client.destroy();
    await dynamo.stop();
  }
}

const items = async (client: DynamoDBClient): Promise<readonly Image[]> =>
  (await client.send(new ScanCommand({ TableName: 'Things' }))).Items ?? [];

/** Runs the writers until `lines` writes were acknowledged, then kills them. Answers the highest count per key. */
async function killAfter(lines: number): Promise<ReadonlyMap<string, number>> {
  const script = join(import.meta.dirname, 'writers.ts');
  const child = spawn(process.execPath, [script, directory.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged = new Map<string, number>();
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', count] = line.split(' ');
    acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, Number(count)));
    seen += 1;
    if (seen === lines) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

test('a stack killed in the middle of writes loses no change and invents none', async () => {
  let expected = new Map<string, number>();
  for (const lines of [40, 150]) {
    expected = new Map([...expected, ...(await killAfter(lines))]);
  }
  await withDynamo(async (dynamo, client) => {
    const state = new Map<string, Image | null>();
    const records = dynamo.journal.read(0, 1_000_000);
    for (const [index, record] of records.entries()) {
      const id = JSON.stringify(record.key);
      expect(record.sequence).toBe(index + 1);
      expect(record.old).toEqual(state.get(id) ?? null);
      state.set(id, record.new);
    }
    const stored = await items(client);
    expect(new Set([...state.values()].map((item) => JSON.stringify(item)))).toEqual(
      new Set(stored.map((item) => JSON.stringify(item))),
    );
    for (const item of stored) {
      const { pk, n } = item as { pk: { S: string }; n: { N: string } };
      expect(Number(n.N)).toBeGreaterThanOrEqual(expected.get(pk.S) ?? 0);
    }
    expect(records).toHaveLength(
      stored.reduce((sum, item) => sum + Number((item['n'] as { N: string }).N), 0),
    );
    const { Items: indexed } = await client.send(
      new QueryCommand({
        TableName: 'Things',
        IndexName: 'by_owner',
        KeyConditionExpression: '#o = :me',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':me': { S: 'me' } },
      }),
    );
    expect(new Set(indexed?.map((item) => item['rank']))).toEqual(
      new Set(stored.map((item) => item['rank'])),
    );
    expect(indexed).toHaveLength(stored.length);
  });
});

test('a table that has other indexes than the template is refused, not used as it is', async () => {
  await withDynamo(async () => {});
  const [index] = TABLE.properties['GlobalSecondaryIndexes'] as readonly Record<string, unknown>[];
  const Projection = { ProjectionType: 'KEYS_ONLY' };
  const GlobalSecondaryIndexes = [{ ...index, Projection }];
  const resources = [{ ...TABLE, properties: { ...TABLE.properties, GlobalSecondaryIndexes } }];
  const common = { dataDir: directory.path, counters: createCounters(), onFailure: fail, onError: fail };
  await expect(startDynamo({ ...common, resources })).rejects.toThrow(
    'Things was made with other keys or indexes',
  );
});

describe('a write that had begun when the stack was killed', () => {
  const key = { pk: { S: 'a' }, sk: { S: 'it' } };
  const before = { ...key, n: { N: '1' } };
  const after = { ...key, n: { N: '2' } };
  const put = (Item: Image): Record<string, unknown> => ({ TableName: 'Things', Item });
  const intent: Intent = {
    table: 'Things',
    operation: 'PutItem',
    request: put(after),
    key,
    old: before,
    byService: false,
  };

  /** Leaves `stored` in the table, and the journal as a kill would: with an intent, and maybe a torn line. */
  async function killed(stored: Image, pending: Intent, tail = ''): Promise<number> {
    const head = await withDynamo(async (dynamo, client) => {
      await client.send(new PutItemCommand(put(stored) as never));
      return dynamo.journal.head();
    });
    const [newest = ''] = readdirSync(join(directory.path, 'stream')).sort().toReversed();
    const line = JSON.stringify({ kind: 'intent', id: 99, intent: pending });
    appendFileSync(join(directory.path, 'stream', newest), `${line}\n${tail}`);
    return head;
  }

  const outcome = (head: number): Promise<unknown> =>
    withDynamo(async (dynamo, client) => [
      await items(client),
      dynamo.journal.read(head, 10).map((record) => [record.old, record.new]),
    ]);

  test('is recorded when it had reached the table', async () => {
    const head = await killed(after, intent);
    expect(await outcome(head)).toEqual([[after], [[before, after]]]);
  });

  test('is done and recorded when it had not', async () => {
    const head = await killed(before, intent);
    expect(await outcome(head)).toEqual([[after], [[before, after]]]);
  });

  test('is dropped when its condition does not hold', async () => {
    const request = { ...put(after), ConditionExpression: 'attribute_not_exists(pk)' };
    const head = await killed(before, { ...intent, request });
    expect(await outcome(head)).toEqual([[before], []]);
  });

  test('is done once, however often the stack is started', async () => {
    const head = await killed(before, {
      ...intent,
      operation: 'UpdateItem',
      request: {
        TableName: 'Things',
        Key: key,
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    });
    await outcome(head);
    expect(await outcome(head)).toEqual([[after], [[before, after]]]);
  });

  test('is found behind a line that the kill has torn', async () => {
    const head = await killed(after, intent, '{"kind":"end","id":99,"chan');
    expectNothingSaid();
    expect(await outcome(head)).toEqual([[after], [[before, after]]]);
    expect(notices).toEqual([expect.stringMatching(/jsonl: line \d+ was torn when the stack was killed/)]);
    expect(await outcome(head)).toEqual([[after], [[before, after]]]);
    expect(notices).toHaveLength(1);
  });
});
