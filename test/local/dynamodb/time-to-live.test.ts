import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let dynamo: Dynamo;
let client: DynamoDBClient;

async function start(): Promise<void> {
  dynamo = await startDynamo({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: [TABLE],
    counters: createOperationCounters(),
    onFailure: (error) => {
      throw error;
    },
    onError: (message) => expect.unreachable(message),
  });
  dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
  client = new DynamoDBClient(clientConfig(dynamo.endpoint));
}
async function stop(): Promise<void> {
  client.destroy();
  await dynamo.stop();
}
beforeEach(async () => {
  directory = temporaryDirectory();
  await start();
});
afterEach(async () => {
  await stop();
  directory.remove();
});

const TableName = 'Things';
const key = (id: string) => ({ pk: { S: id }, sk: { S: 'it' } });
const inSeconds = (seconds: number) => ({ N: String(Math.floor(Date.now() / 1_000) + seconds) });
const item = (id: string, ends?: number) => ({
  ...key(id),
  ...(ends === undefined ? {} : { expires_at: inSeconds(ends) }),
});
const put = (id: string, ends?: number) =>
  client.send(new PutItemCommand({ TableName, Item: item(id, ends) }));
const left = async (): Promise<readonly unknown[]> =>
  ((await client.send(new ScanCommand({ TableName }))).Items ?? []).map((each) => each['pk']?.S).sort();

test('a sweep looks at what is due and at nothing else, however much waits', async () => {
  for (const waiting of [50, 400]) {
    await Promise.all(
      Array.from({ length: waiting }, (_, index) => put(`${index}`, index % 2 ? 1_000 : undefined)),
    );
    await dynamo.sweep();
    expect(await dynamo.sweep()).toBe(0);
    await Promise.all(['a', 'b', 'c'].map((id) => put(id, -10)));
    expect(await dynamo.sweep()).toBe(3);
    expect(await left()).toHaveLength(waiting);
  }
});

test('an item that has another time by now, none, or is gone, is taken as it is', async () => {
  for (const id of ['later', 'never', 'removed', 'deleted', 'again']) await put(id, -10);
  await put('later', 1_000);
  await put('never');
  await client.send(
    new UpdateItemCommand({ TableName, Key: key('removed'), UpdateExpression: 'REMOVE expires_at' }),
  );
  for (const id of ['deleted', 'again'])
    await client.send(new DeleteItemCommand({ TableName, Key: key(id) }));
  await put('again', 1_000);
  await put('sooner', 1_000);
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key: key('sooner'),
      UpdateExpression: 'SET expires_at = :now',
      ExpressionAttributeValues: { ':now': inSeconds(-10) },
    }),
  );
  const head = dynamo.log.head();
  await dynamo.sweep();
  expect(dynamo.log.read(head, 100)).toMatchObject([{ key: key('sooner'), byService: true, new: null }]);
  expect(await left()).toEqual(['again', 'later', 'never', 'removed']);
  expect(await dynamo.sweep()).toBe(0);
});

test('another start knows what is due without reading the table', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, index) => put(`${index}`, 1_000)));
  await dynamo.sweep();
  await put('due', -10);
  await stop();
  await start();
  expect(await dynamo.sweep()).toBe(1);
  expect(await left()).toHaveLength(40);
  expect(await dynamo.sweep()).toBe(0);
});
