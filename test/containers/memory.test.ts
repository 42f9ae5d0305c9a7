import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createS3Cache } from '../../containers/gates/s3-cache.ts';
import { computeCacheEntryKey } from '../../gates/core/persistent-cache.ts';
import { createContainerApiClient } from '../../shared/api/container-client.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api.stop());

const memory = () =>
  createS3Cache(createContainerApiClient({ api_url: api.url, token: api.token, task_id: 'T1' }));
const KEY = computeCacheEntryKey('baselines', 'a');
const PATH = `/memory/baselines-${KEY.hash}`;
const quiet = () => vi.spyOn(console, 'error').mockImplementation(() => {});

describe('the memory in the bucket', () => {
  test('gives back what another box has put there', async () => {
    expect(await memory().get(KEY)).toBeNull();
    await memory().put(KEY, { value: 1 });
    expect(await memory().get(KEY)).toEqual({ value: 1 });
  });

  test('keeps the first of two values: both were made from the same facts', async () => {
    await memory().put(KEY, 1);
    await memory().put(KEY, 2);
    expect(await memory().get(KEY)).toBe(1);
  });

  test('loses no change when several boxes make one at once', async () => {
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        memory().update(KEY, (value) => [...((value as string[] | null) ?? []), name].sort()),
      ),
    );
    expect(await memory().get(KEY)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('writes nothing when there is nothing to be changed', async () => {
    await memory().update(KEY, () => null);
    expect(api.objects.size).toBe(0);
  });

  test.each([
    ['no JSON', Buffer.from('{')],
    ['more than an entry may hold', Buffer.from(`"${'x'.repeat(5 * 1_048_576)}"`)],
  ])('passes over %s', async (_, content) => {
    api.objects.set(PATH, content);
    expect(await memory().get(KEY)).toBeNull();
  });

  test('asks once for a place that it reads and then writes, and again before its URLs are dead', async () => {
    const asked = () => api.bodies('memory').length;
    const clock = vi.spyOn(performance, 'now');
    const own = memory();
    await own.get(KEY);
    await own.update(KEY, () => 1);
    expect(asked()).toBe(1);
    clock.mockReturnValue(performance.now() + 3_600_000);
    expect(await own.get(KEY)).toBe(1);
    expect(asked()).toBe(2);
  });

  test('does not send more than an entry may hold', async () => {
    await memory().put(KEY, 'x'.repeat(5 * 1_048_576));
    expect(api.objects.size).toBe(0);
  });

  test('forgets when the API refuses, and says so', async () => {
    const said = quiet();
    api.answer = () => ({ status: 409, body: { code: 'stale_lease', detail: 'over' } });
    expect(await memory().get(KEY)).toBeNull();
    await memory().put(KEY, 1);
    await memory().update(KEY, () => 1);
    expect(said).toHaveBeenCalledTimes(3);
    expect(said.mock.calls[0]?.[0]).toContain('over');
  });
});
