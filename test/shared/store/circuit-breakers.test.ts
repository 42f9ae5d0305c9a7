import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_CONSECUTIVE_REJECTIONS } from '../../../shared/reviews/judging/circuit-breaker.ts';
import { CircuitBreakerStore } from '../../../shared/store/circuit-breakers.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let store: CircuitBreakerStore;
beforeAll(async () => {
  table = await createTestTable();
  store = new CircuitBreakerStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();

it('counts marks of a model side by side, each once, and lists models that bring nothing', async () => {
  expect(await store.read('small')).toBeNull();
  const marks = Array.from({ length: MAX_CONSECUTIVE_REJECTIONS }, (_, index) => ({
    id: `t${index}`,
    at: at(1),
    passed: false,
  }));
  await Promise.all([...marks, ...marks].map((mark) => store.recordMark('small', mark)));
  await store.recordMark('large', { id: 'x', at: at(1), passed: true });
  expect((await store.read('small'))?.rejected_attempts.toSorted()).toEqual(marks.map(({ id }) => id));
  expect(await store.list()).toMatchObject([{ model: 'small', opened_at: at(1) }]);
  await store.recordMark('small', { id: 'good', at: at(2), passed: true });
  expect(await store.list()).toEqual([]);
});
