import { describe, expect, it, test } from 'vitest';
import type { Item } from '../../../lab/simulator/engines/expression.ts';
import { type Limits, Quotas, RATE_NAMES, type RateName } from '../../../lab/simulator/engines/quotas.ts';
import { type Input, Table } from '../../../lab/simulator/engines/table.ts';
import { INDEXES } from '../../../shared/contract/names.ts';

const limits = (name: RateName, perSecond: number, burst: number): Limits => ({
  rates: Object.fromEntries(
    RATE_NAMES.map((each) => [each, each === name ? { perSecond, burst } : { perSecond: 1e6, burst: 1e6 }]),
  ) as Limits['rates'],
  lambdas: 2,
});
const met = (quotas: Quotas, name: RateName) => quotas.met().find((each) => each.name === name);

test('a burst passes, what is more is refused in the words of the service, and time gives it back', () => {
  let now = 0;
  const quotas = new Quotas(
    limits('runTask', 10, 3),
    () => now,
    () => undefined,
  );
  const launch = () => quotas.call('ecs', 'RunTaskCommand', {}, () => {});
  for (let n = 0; n < 3; n++) launch();
  expect(launch).toThrow(expect.objectContaining({ name: 'ThrottlingException' }));
  now = 100;
  launch();
  expect(launch).toThrow('Rate exceeded');
  expect(met(quotas, 'runTask')).toMatchObject({ most: 6, refused: 2, firstAt: 0 });
});

/** Items under quotas, at a time that stands still. */
function kept(name: RateName, perSecond: number) {
  const table = new Table(
    () => 0,
    () => 0,
  );
  const quotas = new Quotas(
    limits(name, perSecond, perSecond),
    () => 0,
    (key) => table.run('GetCommand', { Key: key })['Item'] as Item | undefined,
  );
  const call = (operation: string, input: Input) =>
    quotas.call('dynamodb', operation, { ...input }, () => table.run(operation, input));
  const put = (id: string, status: string, text = '') =>
    call('PutCommand', {
      Item: { pk: `task#${id}`, sk: 'task', gs_status: status, gs_created: id, text },
    });
  return { quotas, call, put };
}

describe('a write', () => {
  it('costs the larger of what was there and what is, and is not carried out where its partition has less', () => {
    const { quotas, call, put } = kept('itemWrites', 4);
    put('T1', 'open', 'x'.repeat(2_500));
    expect(() => put('T1', 'open')).toThrow('hot');
    expect(call('GetCommand', { Key: { pk: 'task#T1', sk: 'task' } })).toMatchObject({
      Item: { text: 'x'.repeat(2_500) },
    });
    expect(met(quotas, 'itemWrites')).toMatchObject({ most: 6, key: 'task#T1', refused: 1 });
  });

  it('costs a unit where it leaves an index and one where it comes, and the next is refused by an index that is behind', () => {
    const { quotas, put } = kept('itemWrites', 3);
    put('T1', 'open');
    put('T1', 'claimed');
    put('T2', 'open');
    expect(met(quotas, 'itemWrites')).toMatchObject({ most: 3, key: `${INDEXES.byStatus.name} open` });
    put('T3', 'open');
    expect(() => put('T4', 'open')).toThrow('hot');
  });
});

test('a read costs what was looked at, by four kilobytes, and half where it may be old', () => {
  const { quotas, call, put } = kept('itemReads', 100);
  put('T1', 'open', 'x'.repeat(9_000));
  const Key = { pk: 'task#T1', sk: 'task' };
  call('GetCommand', { Key });
  expect(met(quotas, 'itemReads')?.most).toBe(1.5);
  call('BatchGetCommand', { RequestItems: { tasks: { Keys: [Key], ConsistentRead: true } } });
  expect(met(quotas, 'itemReads')?.most).toBe(4.5);
  call('QueryCommand', {
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':pk': 'task#T1' },
  });
  expect(met(quotas, 'itemReads')).toMatchObject({ most: 6, key: 'task#T1' });
});

test('so many functions run at a time', () => {
  const quotas = new Quotas(
    limits('httpApi', 1, 1),
    () => 0,
    () => undefined,
  );
  const end = quotas.begin();
  quotas.begin();
  expect(() => quotas.begin()).toThrow(expect.objectContaining({ name: 'TooManyRequestsException' }));
  end();
  quotas.begin();
  expect([quotas.mostRunning, quotas.refusedRunning]).toEqual([2, 1]);
});
