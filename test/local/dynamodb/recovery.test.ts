import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import type { ItemImage } from '../../../local/dynamodb/item-image.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

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

async function withDynamo<T>(
  use: (dynamo: Dynamo, client: DynamoDBClient) => Promise<T>,
  table = TABLE,
): Promise<T> {
  const dynamo = await startDynamo({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: [table],
    counters: createOperationCounters(),
    onFailure: fail,
    onError: (message) => notices.push(message),
  });
  dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
  const client = new DynamoDBClient(clientConfig(dynamo.endpoint));
  try {
    return await use(dynamo, client);
  } finally {
    client.destroy();
    await dynamo.stop();
  }
}

const items = async (client: DynamoDBClient): Promise<readonly ItemImage[]> =>
  (await client.send(new ScanCommand({ TableName: 'Things' }))).Items ?? [];

/** Runs the writers until `lines` writes were acknowledged, then kills them. Returns the highest count per key. */
async function killAfter(lines: number, ...args: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const script = join(import.meta.dirname, 'writers.ts');
  const child = spawn(process.execPath, [script, directory.path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

async function expectIndexed(client: DynamoDBClient, stored: readonly ItemImage[]): Promise<void> {
  const { Items: indexed } = await client.send(
    new QueryCommand({
      TableName: 'Things',
      IndexName: 'by_owner',
      KeyConditionExpression: '#o = :me',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':me': { S: 'me' } },
    }),
  );
  expect(new Set(indexed?.map((item) => item['rank']))).toEqual(new Set(stored.map((item) => item['rank'])));
  expect(indexed).toHaveLength(stored.length);
}

function expectCounts(stored: readonly ItemImage[], acknowledged: ReadonlyMap<string, number>): void {
  const counts = new Map(
    stored.map((item) => {
      const { pk, n } = item as { pk: { S: string }; n: { N: string } };
      return [pk.S, Number(n.N)];
    }),
  );
  for (const [id, count] of acknowledged) expect(counts.get(id)).toBeGreaterThanOrEqual(count);
}

test('a stack killed in the middle of writes loses no change and invents none', async () => {
  let expected = new Map<string, number>();
  for (const lines of [40, 150]) {
    expected = new Map([...expected, ...(await killAfter(lines, '16000000', 'reader'))]);
  }
  await withDynamo(async (dynamo, client) => {
    const state = new Map<string, ItemImage | null>();
    const records = dynamo.log.read(0, 1_000_000);
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
    expectCounts(stored, expected);
    expect(records).toHaveLength(
      stored.reduce((sum, item) => sum + Number((item['n'] as { N: string }).N), 0),
    );
    await expectIndexed(client, stored);
  });
});

test('a stack killed while it writes snapshots loses no change', async () => {
  let expected = new Map<string, number>();
  // A snapshot takes as long as some hundred writes, so each kill comes at another point of one.
  for (const lines of [400, 530, 610, 720]) {
    expected = new Map([...expected, ...(await killAfter(lines, '5000'))]);
  }
  const names = readdirSync(join(directory.path, 'dynamodb'));
  expect(names.some((name) => name.endsWith('.snapshot'))).toBe(true);
  await withDynamo(async (dynamo, client) => {
    const stored = await items(client);
    expectCounts(stored, expected);
    expect(dynamo.log.head()).toBe(
      stored.reduce((sum, item) => sum + Number((item['n'] as { N: string }).N), 0),
    );
    await expectIndexed(client, stored);
  });
});

test('a table with other indexes than before has them filled from its items', async () => {
  const item = { pk: { S: 'a' }, sk: { S: 'it' }, colour: { S: 'red' }, rank: { S: '1' } };
  await withDynamo((_, client) => client.send(new PutItemCommand({ TableName: 'Things', Item: item })));
  const index = {
    IndexName: 'by_colour',
    KeySchema: [
      { AttributeName: 'colour', KeyType: 'HASH' },
      { AttributeName: 'rank', KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'KEYS_ONLY' },
  };
  const definitions = TABLE.properties['AttributeDefinitions'] as readonly unknown[];
  const properties = {
    ...TABLE.properties,
    AttributeDefinitions: [
      ...definitions.filter((each) => (each as { AttributeName: string }).AttributeName !== 'owner'),
      { AttributeName: 'colour', AttributeType: 'S' },
    ],
    GlobalSecondaryIndexes: [index],
  };
  const query = {
    TableName: 'Things',
    IndexName: 'by_colour',
    KeyConditionExpression: 'colour = :red',
    ExpressionAttributeValues: { ':red': { S: 'red' } },
  };
  await withDynamo(
    async (_, client) => expect((await client.send(new QueryCommand(query))).Items).toEqual([item]),
    { ...TABLE, properties },
  );
});

test('a table that has other keys than the template is refused, not used as it is', async () => {
  const item = { pk: { S: 'a' }, sk: { S: 'it' }, owner: { S: 'me' } };
  await withDynamo((_, client) => client.send(new PutItemCommand({ TableName: 'Things', Item: item })));
  const KeySchema = [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'owner', KeyType: 'RANGE' },
  ];
  const changed = { ...TABLE, properties: { ...TABLE.properties, KeySchema } };
  await expect(withDynamo(async () => {}, changed)).rejects.toThrow('Things was made with other keys');
});

describe('a write whose record a kill tore', () => {
  const Item = (n: number) => ({ pk: { S: 'a' }, sk: { S: 'it' }, n: { N: String(n) } });
  const put = (n: number) => (_: Dynamo, client: DynamoDBClient) =>
    client.send(new PutItemCommand({ TableName: 'Things', Item: Item(n) }));
  const segment = (): string => {
    const folder = join(directory.path, 'dynamodb');
    return join(folder, readdirSync(folder).sort().at(-1) ?? '');
  };

  test('is as if it had never been made, in the table and in its stream', async () => {
    await withDynamo(put(1));
    const before = readFileSync(segment());
    await withDynamo(put(2));
    const record = readFileSync(segment()).subarray(before.length);
    writeFileSync(segment(), Buffer.concat([before, record.subarray(0, record.length - 7)]));
    const outcome = () =>
      withDynamo(async (dynamo, client) => [
        await items(client),
        dynamo.log.read(0, 10).map(({ old, new: item }) => [old, item]),
      ]);
    expectNothingSaid();
    expect(await outcome()).toEqual([[Item(1)], [[null, Item(1)]]]);
    expect(notices).toEqual([expect.stringMatching(/\.log: line \d+ was torn when the stack was killed/)]);
    await withDynamo(put(3));
    expect(await outcome()).toEqual([
      [Item(3)],
      [
        [null, Item(1)],
        [Item(1), Item(3)],
      ],
    ]);
    expect(notices).toHaveLength(1);
  });
});

test('what an external engine has and the log has not is logged, once', async () => {
  const counters = createOperationCounters();
  const common = { counters, credentials: CREDENTIALS, onFailure: fail, onError: fail, resources: [TABLE] };
  const external = await startDynamo({ ...common, dataDir: join(directory.path, 'external') });
  const options = { ...common, dataDir: join(directory.path, 'own'), engine: external.endpoint };
  const restart = async (): Promise<readonly unknown[]> => {
    const dynamo = await startDynamo(options);
    dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
    const changes = dynamo.log.read(0, 10).map(({ old, new: item }) => [old, item]);
    await dynamo.stop();
    return changes;
  };
  const client = new DynamoDBClient(clientConfig(external.endpoint));
  expect(await restart()).toEqual([]);
  const key = { pk: { S: 'a' }, sk: { S: 'it' } };
  // As if it had been killed between the write and its record.
  await client.send(new PutItemCommand({ TableName: 'Things', Item: key }));
  expect(await restart()).toEqual([[null, key]]);
  expect(await restart()).toEqual([[null, key]]);
  await client.send(new DeleteItemCommand({ TableName: 'Things', Key: key }));
  expect(await restart()).toEqual([
    [null, key],
    [key, null],
  ]);
  client.destroy();
  await external.stop();
});
