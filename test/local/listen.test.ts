import { expect, test } from 'vitest';
import { listenOnPreferredPort, sendJson } from '../../local/http/listen.ts';
import { isAuthenticationLeftToHandler } from '../../shared/lib/loopback-listener.ts';

test('the longest path that the API takes as a parameter comes through', async () => {
  const server = await listenOnPreferredPort(
    { servesPages: false, isAuthenticated: isAuthenticationLeftToHandler },
    (request, response) => sendJson(response, 200, { bytes: request.url?.length }),
  );
  try {
    const query = `?path=${encodeURIComponent('\u{10000}'.repeat(4_096))}`;
    const answer = await fetch(`${server.url}/${query}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ bytes: query.length + 1 });
  } finally {
    await server.stop();
  }
});
