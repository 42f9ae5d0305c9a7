import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SimulatedTable, type TableCommandInput } from '../../../lab/simulator/engines/simulated-table.ts';
import { TABLE_INDEXES } from '../../../shared/contract/resource-names.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

/** Commands of the document client as data: an operation and its input. */
const COMMANDS = {
  GetCommand,
  PutCommand,
  UpdateCommand,
  DeleteCommand,
  QueryCommand,
  BatchGetCommand,
} as const;
type Operation = keyof typeof COMMANDS;
type Step = readonly [Operation, TableCommandInput];

let engine: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  engine = await createTestTable();
});
afterAll(() => engine.close());

const STATUSES = ['open', 'claimed', 'done'];
const key = fc.record({
  pk: fc.constantFrom('task#A', 'task#B', 'lock#r'),
  sk: fc.constantFrom('task', 'X', 'Y'),
});
const status = fc.constantFrom(...STATUSES);
const number = fc.integer({ min: 0, max: 3 });
const item = fc
  .tuple(key, status, number, fc.constantFrom('1', '2', '3'), fc.option(status))
  .map(([own, of, version, rank, waits]) => ({
    ...own,
    id: own.pk,
    status: of,
    version,
    attempts: [{ number: version, cost: null, done: true }],
    [TABLE_INDEXES.byStatus.pk]: of,
    [TABLE_INDEXES.byStatus.sk]: `${rank}#${own.pk}#${own.sk}`,
    ...(waits === null
      ? {}
      : { [TABLE_INDEXES.byWait.pk]: waits, [TABLE_INDEXES.byWait.sk]: `${own.pk}${own.sk}` }),
  }));

const NAMES = { '#pk': 'pk', '#version': 'version', '#status': 'status' };
const condition: fc.Arbitrary<Partial<TableCommandInput>> = fc.oneof(
  fc.constant({}),
  fc.constant({
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
  }),
  fc.tuple(number, status, status).map(([version, one, other]) => ({
    ConditionExpression: '#version = :version AND #status IN (:s0, :s1)',
    ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
    ExpressionAttributeValues: { ':version': version, ':s0': one, ':s1': other },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })),
  fc.tuple(number, status).map(([version, one]) => ({
    ConditionExpression: 'NOT (#version < :version OR #status <> :one) AND attribute_exists(#pk)',
    ExpressionAttributeNames: NAMES,
    ExpressionAttributeValues: { ':version': version, ':one': one },
  })),
);

const counting: fc.Arbitrary<Partial<TableCommandInput>> = fc
  .tuple(number, fc.constantFrom('a', 'b', 'c'))
  .map(([by, id]) => ({
    UpdateExpression: 'ADD #n :by, #ids :set SET #recent = list_append(if_not_exists(#recent, :none), :ids)',
    ConditionExpression: 'NOT contains(#ids, :id)',
    ExpressionAttributeNames: { '#n': 'n', '#ids': 'ids', '#recent': 'recent' },
    ExpressionAttributeValues: { ':by': by, ':set': new Set([id]), ':none': [], ':ids': [id], ':id': id },
  }));
const setting: fc.Arbitrary<Partial<TableCommandInput>> = fc.tuple(number, status).map(([version, of]) => ({
  UpdateExpression:
    'SET #status = :status, #version = if_not_exists(#version, :version) + :version REMOVE attempts',
  ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
  ExpressionAttributeValues: { ':version': version, ':status': of },
}));

const partition = (limit: number | null, forward: boolean): Partial<TableCommandInput> => ({
  ScanIndexForward: forward,
  ...(limit === null ? {} : { Limit: limit }),
});
const query: fc.Arbitrary<TableCommandInput> = fc
  .tuple(
    fc.constantFrom<'byStatus' | 'byWait' | null>('byStatus', 'byWait', null),
    status,
    key,
    fc.option(fc.integer({ min: 1, max: 3 })),
    fc.boolean(),
    fc.option(fc.constantFrom('1', '2')),
  )
  .map(([index, of, own, limit, forward, after]) => {
    const keys = index === null ? { name: undefined, pk: 'pk', sk: 'sk' } : TABLE_INDEXES[index];
    const value = index === null ? own.pk : of;
    return {
      ...partition(limit, forward),
      ...(keys.name === undefined ? {} : { IndexName: keys.name }),
      KeyConditionExpression: after === null ? '#pk = :pk' : '#pk = :pk AND #sk > :after',
      ExpressionAttributeNames: { '#pk': keys.pk, ...(after === null ? {} : { '#sk': keys.sk }) },
      ExpressionAttributeValues: { ':pk': value, ...(after === null ? {} : { ':after': after }) },
    };
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(item, condition).map(([Item, when]): Step => ['PutCommand', { Item, ...when }]),
  fc.tuple(key, condition).map(([Key, when]): Step => ['DeleteCommand', { Key, ...when }]),
  fc
    .tuple(key, fc.oneof(counting, setting))
    .map(([Key, change]): Step => ['UpdateCommand', { Key, ...change }]),
  key.map((Key): Step => ['GetCommand', { Key }]),
  fc
    .uniqueArray(key, { minLength: 1, maxLength: 3, selector: ({ pk, sk }) => pk + sk })
    .map((Keys): Step => ['BatchGetCommand', { RequestItems: { tasks: { Keys } } }]),
  query.map((input): Step => ['QueryCommand', input]),
);

const byKey = (a: { pk?: unknown; sk?: unknown }, b: { pk?: unknown; sk?: unknown }): number =>
  `${String(a.pk)}${String(a.sk)}` < `${String(b.pk)}${String(b.sk)}` ? -1 : 1;

/** What an answer says that a store reads; the order of a batch says nothing. */
function said(answer: Record<string, unknown>): unknown {
  const batch = (answer['Responses'] as Record<string, { pk?: unknown }[]> | undefined)?.['tasks'];
  return { Item: answer['Item'], Items: answer['Items'], Batch: batch && [...batch].sort(byKey) };
}

/** The answer, or the name of the error. The item that it may show is left out: dynalite knows nothing of that. */
async function outcome(
  run: () => Promise<Record<string, unknown>> | Record<string, unknown>,
): Promise<unknown> {
  try {
    return said(await run());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: error.name };
  }
}

/** Follows a query to its last page. */
async function pages(
  send: (input: TableCommandInput) => Promise<Record<string, unknown>>,
  input: TableCommandInput,
): Promise<Record<string, unknown>> {
  const Items: unknown[] = [];
  let ExclusiveStartKey: TableCommandInput['ExclusiveStartKey'];
  do {
    const page = await send({ ...input, ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}) });
    Items.push(...(page['Items'] as unknown[]));
    ExclusiveStartKey = page['LastEvaluatedKey'] as TableCommandInput['ExclusiveStartKey'];
  } while (ExclusiveStartKey);
  return { Items };
}

async function clear(db: DynamoDBDocumentClient): Promise<void> {
  for (const pk of ['task#A', 'task#B', 'lock#r'])
    for (const sk of ['task', 'X', 'Y'])
      await db.send(new DeleteCommand({ TableName: 'tasks', Key: { pk, sk } }));
}

test('the simulated table answers as dynalite does, whatever is asked of it', async () => {
  const { db } = engine;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await clear(db);
      const table = new SimulatedTable(
        () => 0,
        () => -1,
      );
      for (const [operation, input] of steps) {
        const real = (given: TableCommandInput): Promise<Record<string, unknown>> =>
          db.send(
            new COMMANDS[operation]({
              ...(operation === 'BatchGetCommand' ? {} : { TableName: 'tasks' }),
              ...given,
            } as never) as never,
          ) as unknown as Promise<Record<string, unknown>>;
        const fake = async (given: TableCommandInput): Promise<Record<string, unknown>> =>
          table.run(operation, given);
        const [theirs, ours] =
          operation === 'QueryCommand'
            ? [await outcome(() => pages(real, input)), await outcome(() => pages(fake, input))]
            : [await outcome(() => real(input)), await outcome(() => fake(input))];
        expect(ours).toEqual(theirs);
      }
    }),
    { numRuns: 40, seed: 5 },
  );
});

test('a write that changes nothing, or that a condition forbids, is on no stream', () => {
  const table = new SimulatedTable(
    () => 0,
    () => -1,
  );
  const written: unknown[] = [];
  table.onWrite = ({ after }) => written.push(after);
  const Item = { pk: 'task#A', sk: 'task', version: 1 };
  table.run('PutCommand', { Item });
  table.run('PutCommand', { Item: { ...Item } });
  expect(() =>
    table.run('PutCommand', {
      Item: { ...Item, version: 2 },
      ConditionExpression: '#v = :v',
      ExpressionAttributeNames: { '#v': 'version' },
      ExpressionAttributeValues: { ':v': 7 },
    }),
  ).toThrow('The conditional request failed');
  expect(written).toEqual([Item]);
});

test('an item of more than 400 KB is refused, in bytes', () => {
  const table = new SimulatedTable(
    () => 0,
    () => -1,
  );
  const Item = (text: string): TableCommandInput => ({ Item: { pk: 'task#A', sk: 'task', text } });
  table.run('PutCommand', Item('ü'.repeat(204_000)));
  expect(() => table.run('PutCommand', Item('ü'.repeat(205_000)))).toThrow(
    'exceeded the maximum allowed size',
  );
});
