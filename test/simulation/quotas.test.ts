import { expect, test } from 'vitest';
import { type Limits, Quotas, RATE_NAMES, type RateName } from './engines/quotas.ts';

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
  const launch = () => quotas.call('ecs', 'RunTaskCommand', {});
  for (let n = 0; n < 3; n++) launch();
  expect(launch).toThrow(expect.objectContaining({ name: 'ThrottlingException' }));
  now = 100;
  launch();
  expect(launch).toThrow('Rate exceeded');
  expect(met(quotas, 'runTask')).toMatchObject({ most: 6, refused: 2, firstAt: 0 });
});

test('a write costs what its item weighs, in its partition and in that of each index it is in', () => {
  const item = { pk: 'task#T1', sk: 'task', gs_status: 'open', text: 'x'.repeat(2_000) };
  const quotas = new Quotas(
    limits('itemWrites', 2, 2),
    () => 0,
    () => item,
  );
  quotas.call('dynamodb', 'PutCommand', { Item: { pk: 'task#T0', sk: 'task', gs_status: 'open' } });
  // Three units are more than its partition has.
  expect(() => quotas.call('dynamodb', 'UpdateCommand', { Key: { pk: 'task#T1', sk: 'task' } })).toThrow(
    'hot',
  );
  quotas.call('dynamodb', 'PutCommand', { Item: { pk: 'task#T2', sk: 'task', gs_status: 'open' } });
  // The index's partition is full by now, the table's is another one.
  expect(() =>
    quotas.call('dynamodb', 'PutCommand', { Item: { pk: 'task#T3', sk: 'task', gs_status: 'open' } }),
  ).toThrow('hot');
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
