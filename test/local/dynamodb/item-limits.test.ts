import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { itemBytes } from '../../../local/dynamodb/capacity.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

const directory = temporaryDirectory();
let dynamo: Dynamo;
let client: DynamoDBClient;

beforeAll(async () => {
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
  client = new DynamoDBClient(clientConfig(dynamo.endpoint));
});
afterAll(async () => {
  client.destroy();
  await dynamo.stop();
  directory.remove();
});

type Item = Record<string, AttributeValue>;
const TableName = 'Things';
const MOST = 409_600;
const key = (id: string) => ({ pk: { S: id }, sk: { S: 'it' } });
const put = (Item: Item) => client.send(new PutItemCommand({ TableName, Item }));
const get = async (id: string) =>
  (await client.send(new GetItemCommand({ TableName, Key: key(id), ConsistentRead: true }))).Item;
const update = (id: string, input: Partial<UpdateItemCommandInput>) =>
  client.send(new UpdateItemCommand({ TableName, Key: key(id), ...input }));
const refusal = (message: string) => ({
  name: 'ValidationException',
  message: expect.stringContaining(message),
});

/** An item of exactly `bytes`, with texts of characters that have `width` bytes. */
function itemOf(id: string, bytes: number, width: 1 | 2 | 3 | 4): Item {
  const mark = ['a', 'é', '€', '😀'][width - 1] ?? '';
  const empty = itemBytes({ ...key(id), text: { S: '' } });
  const left = bytes - empty;
  return { ...key(id), text: { S: mark.repeat(Math.floor(left / width)) + 'x'.repeat(left % width) } };
}

describe('an item has at most 409,600 bytes', () => {
  test.each([1, 2, 3, 4] as const)('of characters of %d bytes', async (width) => {
    await put(itemOf(`put ${width}`, MOST, width));
    await expect(put(itemOf(`over ${width}`, MOST + 1, width))).rejects.toMatchObject(
      refusal('Item size has exceeded the maximum allowed size'),
    );
    expect(await get(`over ${width}`)).toBeUndefined();
  });

  test('of names, numbers, lists and maps, too', async () => {
    // 3 for the list and 1 for each member, of which each has 2 as a number.
    const list = (length: number): Item => ({
      ...key('list'),
      list: { L: Array.from({ length }, () => ({ N: '7' })) },
    });
    const empty = itemBytes(list(0));
    const most = Math.floor((MOST - empty) / 3);
    await put(list(most));
    await expect(put(list(most + 1))).rejects.toMatchObject(refusal('Item size'));
    const named = (length: number): Item => ({ ...key('named'), ['é'.repeat(length)]: { BOOL: true } });
    await put(named(1000));
    await expect(
      put({ ...itemOf('named', MOST - 1999, 2), ['é'.repeat(1000)]: { BOOL: true } }),
    ).rejects.toMatchObject(refusal('Item size'));
  });

  test.each([
    ['SET #more = :more', { ':more': { S: '€'.repeat(50_000) } }],
    ['SET #more = #text', undefined],
    ['SET #list = list_append(#list, #list)', undefined],
    [
      'SET #list = list_append(list_append(#list, :list), :list)',
      { ':list': { L: [{ S: 'é'.repeat(60_000) }] } },
    ],
    ['SET #more = if_not_exists(#more, #text), #again = #text', undefined],
    ['ADD #set :set', { ':set': { SS: ['é'.repeat(60_000), 'ü'.repeat(60_000)] } }],
  ])('whatever an update makes of it: %s', async (UpdateExpression, ExpressionAttributeValues) => {
    const all = { '#more': 'more', '#text': 'text', '#list': 'list', '#again': 'again', '#set': 'set' };
    const names = Object.entries(all).filter(([name]) => UpdateExpression.includes(name));
    const before: Item = {
      ...itemOf('grows', 250_000, 3),
      list: { L: [{ S: 'é'.repeat(50_000) }] },
    };
    await put(before);
    const head = dynamo.log.head();
    const input = { UpdateExpression, ExpressionAttributeNames: Object.fromEntries(names) };
    const values = ExpressionAttributeValues === undefined ? {} : { ExpressionAttributeValues };
    await expect(update('grows', { ...input, ...values })).rejects.toMatchObject(
      refusal('Item size to update has exceeded the maximum allowed size'),
    );
    expect(await get('grows')).toEqual(before);
    expect(dynamo.log.head()).toBe(head);
  });

  test('and not one less: an update up to the last byte is made', async () => {
    await put(itemOf('exact', 200_000, 2));
    const room = MOST - 200_000 - 'more'.length;
    const set = (bytes: number) =>
      update('exact', {
        UpdateExpression: 'SET more = :more',
        ExpressionAttributeValues: { ':more': { S: 'x'.repeat(bytes) } },
      });
    await expect(set(room + 1)).rejects.toMatchObject(refusal('Item size to update'));
    await set(room);
    expect(itemBytes((await get('exact')) ?? {})).toBe(MOST);
    // What makes room is always possible, and a condition that fails comes first.
    await expect(
      update('exact', {
        UpdateExpression: 'SET more = :more',
        ConditionExpression: 'attribute_not_exists(pk)',
        ExpressionAttributeValues: { ':more': { S: 'x'.repeat(room + 1) } },
      }),
    ).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    await update('exact', { UpdateExpression: 'REMOVE more' });
    expect(itemBytes((await get('exact')) ?? {})).toBe(200_000);
  });

  test('no sequence of puts and updates leaves a larger one', async () => {
    const text = fc.tuple(fc.constantFrom('a', 'é', '€', '😀'), fc.integer({ min: 0, max: 150_000 }));
    const step = fc.tuple(fc.constantFrom('put', 'set', 'append', 'copy'), text);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        await put({ ...key('any'), list: { L: [] } });
        for (const [what, [mark, count]] of steps) {
          const S = mark.repeat(count);
          const write = {
            put: () => put({ ...key('any'), list: { L: [] }, text: { S } }),
            set: () =>
              update('any', { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { S } } }),
            append: () =>
              update('any', {
                UpdateExpression: 'SET #l = list_append(#l, :a)',
                ExpressionAttributeNames: { '#l': 'list' },
                ExpressionAttributeValues: { ':a': { L: [{ S }] } },
              }),
            copy: () => update('any', { UpdateExpression: 'SET b = pk, c = pk' }),
          }[what];
          await write?.().catch((error: Error) => expect(error.message).toMatch(/Item size/));
          expect(itemBytes((await get('any')) ?? {})).toBeLessThanOrEqual(MOST);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('what DynamoDB does not keep is refused', () => {
  test.each([
    ['1E126', 'Number overflow'],
    ['1E-131', 'Number underflow'],
    [`1${'0'.repeat(126)}`, 'Number overflow'],
    ['1'.repeat(39), '38 significant digits'],
    ['Infinity', 'cannot be converted to a numeric value'],
    ['', 'cannot be converted to a numeric value'],
  ])('the number %s', async (N, message) => {
    await expect(put({ ...key('number'), n: { N } })).rejects.toMatchObject(refusal(message));
    await expect(put({ ...key('number'), deep: { L: [{ M: { n: { N } } }] } })).rejects.toMatchObject(
      refusal(message),
    );
  });

  test('and what arithmetic makes, when it leads there', async () => {
    await put({ ...key('sum'), n: { N: `9${'9'.repeat(37)}E88` } });
    const add = (N: string) =>
      update('sum', { UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': { N } } });
    await expect(add('1E125')).rejects.toMatchObject(refusal('Number overflow'));
    await expect(add('1')).rejects.toMatchObject(refusal('38 significant digits'));
    await put({ ...key('sum'), n: { N: '1E125' } });
    await add('1E125');
    expect(BigInt((await get('sum'))?.['n']?.N ?? 0)).toBe(2n * 10n ** 125n);
    for (const N of ['1E-130', '9.9999999999999999999999999999999999999E+125'])
      await put({ ...key('edge'), n: { N } });
  });

  test('empty and long texts as keys, of the table and of an index', async () => {
    const index = (owner: string): Item => ({ ...key('index'), owner: { S: owner }, rank: { S: '1' } });
    await expect(put({ pk: { S: '' }, sk: { S: 'x' } })).rejects.toMatchObject(refusal('empty string'));
    await expect(put({ pk: { S: 'x' }, sk: { S: '' } })).rejects.toMatchObject(refusal('empty string'));
    await put({ pk: { S: 'é'.repeat(1024) }, sk: { S: 'é'.repeat(512) } });
    await expect(put({ pk: { S: 'é'.repeat(1025) }, sk: { S: 'x' } })).rejects.toMatchObject(
      refusal('hashkey'),
    );
    await expect(put({ pk: { S: 'x' }, sk: { S: 'é'.repeat(513) } })).rejects.toMatchObject(
      refusal('range keys'),
    );
    await expect(put(index(''))).rejects.toMatchObject(refusal('IndexName: by_owner, IndexKey: owner'));
    await expect(put(index('é'.repeat(1025)))).rejects.toMatchObject(refusal('IndexName: by_owner'));
    await put(index('somebody'));
    for (const S of ['', 'é'.repeat(1025)]) {
      const set = update('index', {
        UpdateExpression: 'SET #o = :o',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':o': { S } },
      });
      await expect(set).rejects.toMatchObject(refusal('IndexName: by_owner'));
    }
    expect((await get('index'))?.['owner']?.S).toBe('somebody');
  });

  test('lists and maps more than 32 deep', async () => {
    const deep = (levels: number): AttributeValue => (levels === 0 ? { S: 'x' } : { L: [deep(levels - 1)] });
    await put({ ...key('deep'), v: deep(32) });
    await expect(put({ ...key('deep'), v: deep(33) })).rejects.toMatchObject(refusal('Nesting Levels'));
    const set = update('deep', {
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': deep(33) },
    });
    await expect(set).rejects.toMatchObject(refusal('Nesting Levels'));
  });
});
