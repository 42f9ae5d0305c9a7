import { describe, expect, it, test } from 'vitest';
import type { TableItem } from '../../../lab/simulator/engines/dynamodb-expression.ts';
import {
  type QuotaLimits,
  RATE_NAMES,
  type RateName,
  ServiceQuotas,
} from '../../../lab/simulator/engines/service-quotas.ts';
import { SimulatedTable, type TableCommandInput } from '../../../lab/simulator/engines/simulated-table.ts';
import { TABLE_INDEXES } from '../../../shared/contract/resource-names.ts';

const limits = (name: RateName, perSecond: number, burst: number): QuotaLimits => ({
  rates: Object.fromEntries(
    RATE_NAMES.map((each) => [each, each === name ? { perSecond, burst } : { perSecond: 1e6, burst: 1e6 }]),
  ) as QuotaLimits['rates'],
  lambdas: 2,
});
const met = (quotas: ServiceQuotas, name: RateName) => quotas.listHits().find((each) => each.name === name);

test('a burst passes, what is more is refused in the words of the service, and time gives it back', () => {
  let now = 0;
  const quotas = new ServiceQuotas(
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
  const table = new SimulatedTable(
    () => 0,
    () => 0,
  );
  const quotas = new ServiceQuotas(
    limits(name, perSecond, perSecond),
    () => 0,
    (key) => table.run('GetCommand', { Key: key })['Item'] as TableItem | undefined,
  );
  const call = (operation: string, input: TableCommandInput) =>
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
    expect(met(quotas, 'itemWrites')).toMatchObject({ most: 3, key: `${TABLE_INDEXES.byStatus.name} open` });
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
  const quotas = new ServiceQuotas(
    limits('httpApi', 1, 1),
    () => 0,
    () => undefined,
  );
  const end = quotas.beginExecution();
  quotas.beginExecution();
  expect(() => quotas.beginExecution()).toThrow(
    expect.objectContaining({ name: 'TooManyRequestsException' }),
  );
  end();
  quotas.beginExecution();
  expect([quotas.mostRunning, quotas.refusedRunning]).toEqual([2, 1]);
});
