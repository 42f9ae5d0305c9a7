import { afterEach, expect, test } from 'vitest';
import { type ApiRouteClient, createApiRouteClient } from '../../cli/client.ts';
import { ROUTES } from '../../shared/api/routes.ts';
import { aTask, type FakeApi, fakeApi, type Handler, problem } from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

async function clientOf(handler: Handler): Promise<ApiRouteClient> {
  api = await fakeApi(handler);
  return createApiRouteClient({ url: api.url, token: 'secret', source: 'the test' });
}

test('every route of the API has a method on the client', async () => {
  const client = await clientOf(() => [200, {}]);
  expect(Object.keys(client)).toEqual(Object.keys(ROUTES));
});

test('path parameters are escaped, so that an id cannot reach another route', async () => {
  const client = await clientOf(() => problem(404, 'not_found'));
  await expect(client.getTask({ id: '../status?x=1' })).rejects.toMatchObject({ code: 'not_found' });
  expect(api?.seen[0]?.url).toBe('/tasks/..%2Fstatus%3Fx%3D1');
});

test('query values that are undefined are left out', async () => {
  const client = await clientOf(() => [200, { tasks: [], next_cursor: null }]);
  await client.listTasks({ query: { status: 'open', role: undefined, limit: 5 } });
  expect(api?.seen[0]?.url).toBe('/tasks?status=open&limit=5');
});

test('token, body, version and idempotency key travel in their headers', async () => {
  const client = await clientOf(() => [200, aTask()]);
  await client.cancel({ id: 't-1', body: { reason: 'done by hand' }, ifMatch: 7 });
  await client.submitTask({
    body: { title: 'x', repository: 'https://example.com/x.git' },
    idempotencyKey: 'key-1',
  });
  expect(api?.seen[0]).toMatchObject({
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'if-match': '"7"', 'content-type': 'application/json' },
    body: { reason: 'done by hand' },
  });
  expect(api?.seen[0]?.headers['idempotency-key']).toBeUndefined();
  expect(api?.seen[1]?.headers['idempotency-key']).toBe('key-1');
});

test('a read is repeated when the connection breaks or the API is busy', async () => {
  const client = await clientOf((_, nth) =>
    nth === 1 ? 'drop' : nth === 2 ? problem(503, 'busy') : [200, { status: 'ok', version: '1' }],
  );
  await expect(client.health({})).resolves.toEqual({ status: 'ok', version: '1' });
  expect(api?.seen).toHaveLength(3);
});

test('a write without an idempotency key is sent once, because it may have arrived', async () => {
  const client = await clientOf(() => 'drop');
  await expect(client.retry({ id: 't-1', body: {} })).rejects.toMatchObject({ code: 'unreachable' });
  expect(api?.seen).toHaveLength(1);
});

test.each([502, 503, 504])(
  'a claim that was answered with %i is made again under the same key',
  async (status) => {
    const claim = { task: aTask(), attempt: 1, token: 't', lease_until: 1, heartbeat_s: 30 };
    const client = await clientOf((_, nth) => (nth < 3 ? [status, '<html>'] : [200, claim]));
    await expect(client.nextTask({ role: 'backend' })).resolves.toMatchObject({ attempt: 1 });
    await client.claimNext({ role: 'backend', body: {} });
    const keys = api?.seen.map((each) => each.headers['idempotency-key']) ?? [];
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    // Another call is another claim.
    expect(keys[3]).not.toBe(keys[0]);
  },
);

test('a write with an idempotency key is repeated with the same key', async () => {
  const client = await clientOf((_, nth) => (nth === 1 ? 'drop' : [201, aTask()]));
  await client.submitTask({
    body: { title: 'x', repository: 'https://example.com/x.git' },
    idempotencyKey: 'k',
  });
  expect(api?.seen.map((each) => each.headers['idempotency-key'])).toEqual(['k', 'k']);
});

test('an answer that does not fit the schema is refused, naming the field', async () => {
  const client = await clientOf(() => [200, { status: 'fine', version: 1 }]);
  await expect(client.health({})).rejects.toMatchObject({
    code: 'bad_answer',
    exitCode: 1,
    details: [{ where: 'status' }, { where: 'version' }],
  });
});

test('something that is no Assay API is named as such', async () => {
  const client = await clientOf(() => [502, '<html>']);
  await expect(client.health({})).rejects.toMatchObject({ code: 'not_assay' });
});
