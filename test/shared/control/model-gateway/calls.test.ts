import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MeteredModelCall } from '../../../../shared/contract/models/metered-call.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { ModelCallStore } from '../../../../shared/store/model-calls.ts';
import { UsageMeterStore } from '../../../../shared/store/usage-meters.ts';
import { addSeconds, FIXED_NOW } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let calls: ModelCallStore;
beforeAll(async () => {
  table = await createTestTable();
  calls = new ModelCallStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

const call = (id: string, attempt: number, second: number): MeteredModelCall => ({
  ...{
    id,
    attempt,
    caller: 'agent',
    protocol: 'chat',
    status: 200,
    cost_micro_usd: null,
    provider_error: null,
  },
  ...{ model: 'm', billed_model: 'm' },
  usage: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 },
  started_at: addSeconds(second).toISOString(),
  ended_at: addSeconds(second + 1).toISOString(),
});

it('keeps single calls of an attempt in the order in which they began, once each, beside a meter that does not grow', async () => {
  const meters = new UsageMeterStore(new ItemTable(table.db, 'tasks'));
  await meters.reserve({ taskId: 'T1', attempt: 1, caller: 'agent', limitMicro: 100 }, 'x', 1, FIXED_NOW);
  const meter = await meters.read('T1', 1);
  for (const each of [
    call('b', 1, 20),
    call('a', 1, 10),
    call('c', 1, 30),
    call('d', 12, 5),
    call('a', 1, 10),
  ])
    await calls.record('T1', each, FIXED_NOW);
  expect((await calls.listOfAttempt('T1', 1, 10)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect((await calls.listOfAttempt('T1', 1, 2)).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await calls.listOfAttempt('T1', 12, 10)).toEqual([call('d', 12, 5)]);
  expect(await calls.listOfAttempt('T2', 1, 10)).toEqual([]);
  expect(await meters.read('T1', 1)).toEqual(meter);
});
