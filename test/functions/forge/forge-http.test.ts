import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createForgeRequester } from '../../../functions/forge/forge-http.ts';
import type { ForgeError } from '../../../shared/control/forge/forge.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

it.each([
  ['a forbidden request', 403, {}, 'Resource not accessible by integration', false],
  ['an exhausted limit', 403, { 'x-ratelimit-remaining': '0' }, 'API rate limit exceeded', true],
  ['a secondary limit with a time', 403, { 'retry-after': '60' }, SECONDARY, true],
  ['a secondary limit without a time', 403, {}, SECONDARY, true],
  [
    'an abuse limit, as older servers call it',
    403,
    {},
    'You have triggered an abuse detection mechanism.',
    true,
  ],
  ['a request that is not known', 404, {}, 'Not Found', false],
  ['too many requests', 429, {}, '', true],
  ['a fault of the server', 502, {}, '', true],
])('says of %s whether it may work later', async (_, status, headers, message, transient) => {
  server = createServer((_request, response) =>
    response.writeHead(status, headers).end(JSON.stringify({ message })),
  );
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', () => resolve()));
  const ask = createForgeRequester(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
  const failed = await ask('GET', '/repos/acme/shop').catch((error: unknown) => error);
  expect(failed).toMatchObject({ status, transient });
  const limit = transient && status < 500 ? 60 : null;
  expect((failed as ForgeError).retryAfterSeconds).toBe(limit);
  // What the forge says could hold anything.
  expect(String(failed)).not.toContain(message || 'nothing');
});
