import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiRefusalError, createContainerApiClient } from '../../../shared/api/container-client.ts';
import { HttpServiceUnreachableError, requestWithRetries } from '../../../shared/api/http-client.ts';

let server: Server | undefined;
const serve = async (listener: RequestListener): Promise<string> => {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
};
afterEach(() => {
  vi.restoreAllMocks();
  server?.closeAllConnections();
  server?.close();
});
const FAST = { backoffMs: 1 };

test.each([408, 429, 500, 503])('%i is tried again until it works', async (status) => {
  let calls = 0;
  const url = await serve((_, response) => {
    response.statusCode = ++calls < 3 ? status : 201;
    response.end('body');
  });
  expect(await requestWithRetries(url, { method: 'POST', body: 'x' }, FAST)).toEqual({
    status: 201,
    body: Buffer.from('body'),
    etag: null,
  });
  expect(calls).toBe(3);
});

test.each([200, 302, 404, 409, 422])('%i is an answer', async (status) => {
  let calls = 0;
  const url = await serve((_, response) => {
    calls++;
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
  });
  expect((await requestWithRetries(url, { method: 'GET' }, FAST)).status).toBe(status);
  expect(calls).toBe(1);
});

test('a connection that is cut in the middle of an answer is tried again', async () => {
  let calls = 0;
  const url = await serve((_, response) => {
    if (++calls > 1) return void response.end('whole');
    response.writeHead(200, { 'content-length': '100' });
    response.write('part');
    setImmediate(() => response.destroy());
  });
  expect((await requestWithRetries(url, { method: 'GET' }, FAST)).body.toString()).toBe('whole');
});

test('an answer that does not come in time is given up, and the query of a URL is not told', async () => {
  const url = await serve(() => {});
  const failed = requestWithRetries(
    `${url}/object?signature=secret`,
    { method: 'GET' },
    { ...FAST, timeoutMs: 20, maxTries: 2 },
  );
  await expect(failed).rejects.toThrow(HttpServiceUnreachableError);
  await expect(failed).rejects.toThrow(/\/object: no answer after 20 ms$/);
});

test('with patience it is tried until it works, and no longer than that', async () => {
  let calls = 0;
  const url = await serve((_, response) => {
    response.statusCode = ++calls < 9 ? 503 : 200;
    response.end();
  });
  const options = { ...FAST, retryForMs: 60_000 };
  expect((await requestWithRetries(url, { method: 'POST' }, options)).status).toBe(200);
  expect(calls).toBe(9);
  calls = -1_000;
  await expect(requestWithRetries(url, { method: 'POST' }, { ...options, retryForMs: 0 })).rejects.toThrow(
    'HTTP 503',
  );
  expect(calls).toBe(-999);
});

test('a box hands in what it has for longer than six tries, and asks its memory for no longer', async () => {
  let calls = 0;
  const url = await serve((_, response) => {
    response.statusCode = ++calls < 9 ? 503 : 200;
    response.end('{}');
  });
  const client = createContainerApiClient({ api_url: url, token: 'T', task_id: 'a' });
  await client.post('fail', { reason: 'r', failure_code: 'agent_failed' }, FAST);
  expect(calls).toBe(9);
  calls = 0;
  await expect(client.post('heartbeat', {}, FAST)).rejects.toThrow(HttpServiceUnreachableError);
  expect(calls).toBe(6);
});

test.each([
  [undefined, false],
  [900, true],
])(
  'a box that beats each %s s hands in for its whole lease, else for a quarter of an hour: after 50 minutes %s',
  async (heartbeat_s, handedIn) => {
    let minutes = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => minutes * 60_000);
    const url = await serve((_, response) => {
      response.statusCode = minutes < 50 ? 503 : 200;
      minutes += 10;
      response.end('{}');
    });
    const client = createContainerApiClient({
      api_url: url,
      token: 'T',
      task_id: 'a',
      ...(heartbeat_s && { heartbeat_s }),
    });
    const sent = client.post('fail', { reason: 'r', failure_code: 'agent_failed' }, FAST).then(
      () => true,
      () => false,
    );
    expect(await sent).toBe(handedIn);
  },
);

test('nobody there is told with the address', async () => {
  await expect(
    requestWithRetries('http://127.0.0.1:1/x', { method: 'GET' }, { ...FAST, maxTries: 2 }),
  ).rejects.toThrow(/ECONNREFUSED/);
});

test('a refusal of the API carries its status, code and detail', async () => {
  const seen: unknown[] = [];
  const url = await serve((incoming, response) => {
    seen.push([incoming.method, incoming.url, incoming.headers.authorization]);
    response.writeHead(409).end('{"code":"stale_lease","detail":"too late"}');
  });
  const client = createContainerApiClient({ api_url: url, token: 'T', task_id: 'a' });
  const refused = client.post('heartbeat', {});
  await expect(refused).rejects.toThrow(ApiRefusalError);
  await expect(refused).rejects.toMatchObject({
    status: 409,
    code: 'stale_lease',
    message: 'heartbeat was refused with 409: too late',
  });
  expect(seen).toEqual([['POST', '/tasks/a/heartbeat', 'Bearer T']]);
});
