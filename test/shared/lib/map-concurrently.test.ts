import { describe, expect, it } from 'vitest';
import { mapConcurrently } from '../../../shared/lib/map-concurrently.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('mapConcurrently', () => {
  it.each([
    { limit: 3, count: 9, most: 3 },
    { limit: 20, count: 2, most: 2 },
    { limit: 0, count: 2, most: 1 },
    { limit: 3, count: 0, most: 0 },
  ])('keeps the order of $count items with at most $limit in progress', async ({ limit, count, most }) => {
    let inProgress = 0;
    let highest = 0;
    const items = Array.from({ length: count }, (_, index) => index);
    const doubled = await mapConcurrently(limit, items, async (item, index) => {
      highest = Math.max(highest, ++inProgress);
      // Earlier items take longer, so that they end in another order than they began.
      for (let turns = count - index; turns > 0; turns--) await nextTurn();
      inProgress--;
      return item * 2;
    });
    expect(doubled).toEqual(items.map((item) => item * 2));
    expect(highest).toBe(most);
  });

  it('maps items and results that are undefined or null', async () => {
    const calls: unknown[] = [];
    const results = await mapConcurrently(2, [undefined, null, 0], async (item) => {
      calls.push(item);
      return item;
    });
    expect(results).toEqual([undefined, null, 0]);
    expect(calls).toEqual([undefined, null, 0]);
  });

  it('starts nothing after a failure, waits for what runs, and rejects with the first error', async () => {
    const started: number[] = [];
    const ended: number[] = [];
    const run = mapConcurrently(2, [0, 1, 2, 3], async (item) => {
      started.push(item);
      if (item === 0) throw new Error('first');
      await nextTurn();
      ended.push(item);
      if (item === 1) throw new Error('second');
    });
    await expect(run).rejects.toThrow('first');
    expect({ started, ended }).toEqual({ started: [0, 1], ended: [1] });
  });

  it('rejects when work throws undefined, or throws before it returns a promise', async () => {
    await expect(mapConcurrently(1, [1], () => Promise.reject(undefined))).rejects.toBeUndefined();
    const throwing = () => {
      throw new Error('at once');
    };
    await expect(mapConcurrently(2, [1, 2], throwing)).rejects.toThrow('at once');
  });
});
