import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import type { ChangeRecord } from '../../../local/dynamodb/write-ahead-log/index.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

const directory = temporaryDirectory();
const counters = createOperationCounters();
let dynamo: Dynamo;
let client: DynamoDBClient;
let mark = 0;

beforeAll(async () => {
  dynamo = await startDynamo({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: [TABLE],
    counters,
    onFailure: (error) => {
      throw error;
    },
    onError: (message) => expect.unreachable(message),
  });
  dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
  client = new DynamoDBClient(clientConfig(dynamo.endpoint));
});

afterAll(async () => {
  client.destroy();
  await dynamo.stop();
  directory.remove();
});

beforeEach(() => {
  mark = dynamo.log.head();
});

const newRecords = (): readonly ChangeRecord[] => dynamo.log.read(mark, 100_000);
const key = (id: string) => ({ pk: { S: id }, sk: { S: 'it' } });
const TableName = 'Things';

describe('the stream of changes', () => {
  test('holds the whole item before and after each put, update and delete', async () => {
    const first = { ...key('a'), n: { N: '1' }, tags: { SS: ['x', 'y'] } };
    await client.send(new PutItemCommand({ TableName, Item: first }));
    const second = { ...key('a'), deep: { M: { list: { L: [{ NULL: true as const }, { BOOL: false }] } } } };
    await client.send(new PutItemCommand({ TableName, Item: second }));
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: key('a'),
        UpdateExpression: 'SET n = :n REMOVE deep',
        ExpressionAttributeValues: { ':n': { N: '2' } },
      }),
    );
    await client.send(new DeleteItemCommand({ TableName, Key: key('a') }));
    const third = { ...key('a'), n: { N: '2' } };
    expect(newRecords().map((record) => [record.old, record.new, record.key])).toEqual([
      [null, first, key('a')],
      [first, second, key('a')],
      [second, third, key('a')],
      [third, null, key('a')],
    ]);
    expect(newRecords().map(({ sequence }) => sequence - mark)).toEqual([1, 2, 3, 4]);
  });

  test('holds numbers as they are stored, not as they were sent', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...key('number'), n: { N: '1.500' } } }));
    expect(newRecords()[0]?.new).toEqual({ ...key('number'), n: { N: '1.5' } });
  });

  test.each([
    ['a put whose condition fails', 'PutItem'],
    ['an update whose condition fails', 'UpdateItem'],
    ['a delete whose condition fails', 'DeleteItem'],
  ])('says nothing about %s, and the error carries the item when asked', async (_name, operation) => {
    const Item = { ...key(operation), state: { S: 'old' } };
    await client.send(new PutItemCommand({ TableName, Item }));
    mark = dynamo.log.head();
    const shared = {
      TableName,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    const Key = key(operation);
    const commands = {
      PutItem: () => client.send(new PutItemCommand({ ...shared, Item: Key })),
      UpdateItem: () =>
        client.send(
          new UpdateItemCommand({
            ...shared,
            Key,
            UpdateExpression: 'SET #s = :s',
            ExpressionAttributeNames: { '#s': 'state' },
            ExpressionAttributeValues: { ':s': { S: 'new' } },
          }),
        ),
      DeleteItem: () => client.send(new DeleteItemCommand({ ...shared, Key })),
    };
    const failed = await commands[operation as keyof typeof commands]().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConditionalCheckFailedException);
    expect((failed as ConditionalCheckFailedException).Item).toEqual(Item);
    expect(newRecords()).toEqual([]);
  });

  test('says nothing about writes that change nothing', async () => {
    const Item = { ...key('same'), tags: { SS: ['a', 'b'] } };
    await client.send(new PutItemCommand({ TableName, Item }));
    mark = dynamo.log.head();
    await client.send(new PutItemCommand({ TableName, Item: { tags: { SS: ['b', 'a'] }, ...key('same') } }));
    await client.send(new DeleteItemCommand({ TableName, Key: key('never there') }));
    expect(newRecords()).toEqual([]);
  });

  test('has one record per success when 1,000 claims race for 100 items, and each item has one winner', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `race-${index}`);
    await Promise.all(ids.map((id) => client.send(new PutItemCommand({ TableName, Item: key(id) }))));
    mark = dynamo.log.head();
    const claims = Array.from({ length: 1000 }, async (_, claimer) => {
      const id = ids[claimer % ids.length] ?? '';
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: key(id),
            UpdateExpression: 'SET claimer = :c',
            ConditionExpression: 'attribute_not_exists(claimer)',
            ExpressionAttributeValues: { ':c': { S: String(claimer) } },
          }),
        );
        return [{ id, claimer }];
      } catch (error) {
        expect(error).toBeInstanceOf(ConditionalCheckFailedException);
        return [];
      }
    });
    const winners = (await Promise.all(claims)).flat();
    expect(winners.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const recorded = newRecords().map((record) => [record.key['pk'], record.new?.['claimer']]);
    expect(new Map(recorded.map(([id, claimer]) => [JSON.stringify(id), claimer]))).toEqual(
      new Map(winners.map(({ id, claimer }) => [JSON.stringify({ S: id }), { S: String(claimer) }])),
    );
    expect(recorded).toHaveLength(100);
  });

  test('says that the service removed an item whose time is over, and keeps the others', async () => {
    const now = Math.floor(Date.now() / 1000);
    const expired = { ...key('expired'), expires_at: { N: String(now - 10) } };
    await client.send(new PutItemCommand({ TableName, Item: expired }));
    await client.send(
      new PutItemCommand({ TableName, Item: { ...key('fresh'), expires_at: { N: String(now + 1000) } } }),
    );
    mark = dynamo.log.head();
    await dynamo.sweep();
    expect(newRecords()).toMatchObject([{ old: expired, new: null, byService: true }]);
  });
});

describe('answers', () => {
  test.each([
    ['NONE', undefined],
    ['ALL_OLD', { n: { N: '1' }, kept: { S: 'k' } }],
    ['ALL_NEW', { n: { N: '2' }, kept: { S: 'k' } }],
    ['UPDATED_OLD', { n: { N: '1' } }],
    ['UPDATED_NEW', { n: { N: '2' } }],
  ] as const)('to an update with ReturnValues %s are what AWS answers', async (ReturnValues, expected) => {
    const id = key(`return ${ReturnValues}`);
    await client.send(new PutItemCommand({ TableName, Item: { ...id, n: { N: '1' }, kept: { S: 'k' } } }));
    mark = dynamo.log.head();
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName,
        Key: id,
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues,
      }),
    );
    const whole = ReturnValues.startsWith('ALL') ? { ...id, ...expected } : expected;
    expect(Attributes).toEqual(whole);
    expect(newRecords().map((record) => record.new?.['n'])).toEqual([{ N: '2' }]);
  });

  test('to a put and a delete carry the old item only when asked', async () => {
    const Item = { ...key('old'), n: { N: '1' } };
    const silent = await client.send(new PutItemCommand({ TableName, Item }));
    const told = await client.send(new PutItemCommand({ TableName, Item, ReturnValues: 'ALL_OLD' }));
    const deleted = await client.send(
      new DeleteItemCommand({ TableName, Key: key('old'), ReturnValues: 'ALL_OLD' }),
    );
    const gone = await client.send(
      new DeleteItemCommand({ TableName, Key: key('old'), ReturnValues: 'ALL_OLD' }),
    );
    expect([silent, told, deleted, gone].map(({ Attributes }) => Attributes)).toEqual([
      undefined,
      Item,
      Item,
      undefined,
    ]);
  });

  test('to requests that are wrong come from the engine, and change nothing', async () => {
    const invalid = client.send(
      new UpdateItemCommand({ TableName, Key: key('wrong'), UpdateExpression: 'SET status = :x' }),
    );
    await expect(invalid).rejects.toMatchObject({ name: 'ValidationException' });
    const keyless = client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'wrong' } } }));
    await expect(keyless).rejects.toMatchObject({ name: 'ValidationException' });
    const mistyped = client.send(
      new DeleteItemCommand({ TableName, Key: { pk: { N: '1' }, sk: { S: 'it' } } }),
    );
    await expect(mistyped).rejects.toMatchObject({ name: 'ValidationException' });
    const tableless = client.send(new PutItemCommand({ TableName: 'Nothing', Item: key('wrong') }));
    await expect(tableless).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    expect(newRecords()).toEqual([]);
  });

  test.each([
    [
      'BatchWriteItem',
      new BatchWriteItemCommand({ RequestItems: { Things: [{ PutRequest: { Item: {} } }] } }),
    ],
    ['TransactWriteItems', new TransactWriteItemsCommand({ TransactItems: [] })],
    ['ExecuteStatement', new ExecuteStatementCommand({ Statement: 'DELETE FROM Things' })],
  ] as const)('to %s are a refusal that says why', async (name, command) => {
    await expect(client.send(command as BatchWriteItemCommand)).rejects.toThrow(
      `${name} is refused by the embedded DynamoDB`,
    );
  });
});

test('the same index key finds every item that has it', async () => {
  const items = Array.from({ length: 30 }, (_, index) => `indexed-${String(index).padStart(2, '0')}`);
  await Promise.all(
    items.map((id) =>
      client.send(
        new PutItemCommand({ TableName, Item: { ...key(id), owner: { S: 'me' }, rank: { S: `1#${id}` } } }),
      ),
    ),
  );
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'by_owner',
      KeyConditionExpression: '#o = :me',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':me': { S: 'me' } },
    }),
  );
  expect(Items?.map((item) => item['pk']?.S)).toEqual(items);
});

test('requests and units are counted as AWS bills them, writes of an index included', async () => {
  counters.reset();
  const Item = { ...key('cost'), owner: { S: 'o' }, rank: { S: 'r' }, text: { S: 'x'.repeat(1500) } };
  await client.send(new PutItemCommand({ TableName, Item }));
  await client.send(new GetItemCommand({ TableName, Key: key('cost') }));
  await client.send(new GetItemCommand({ TableName, Key: key('cost'), ConsistentRead: true }));
  const moved = client.send(
    new UpdateItemCommand({
      TableName,
      Key: key('cost'),
      UpdateExpression: 'SET #r = :r',
      ExpressionAttributeNames: { '#r': 'rank' },
      ExpressionAttributeValues: { ':r': { S: 'r2' } },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  expect((await moved).ConsumedCapacity).toEqual({ TableName, CapacityUnits: 4 });
  // Put: 2 for the item and 1 for the index; update: 2, and 2 because the index entry moves.
  expect(counters.snapshot()['DynamoDB']).toEqual({
    PutItem: 1,
    GetItem: 2,
    UpdateItem: 1,
    ReadUnits: 1.5,
    WriteUnits: 7,
  });
});
