import { expect, test } from 'vitest';
import { listen, sendJson } from '../../local/http/listen.ts';
import { isAuthenticatedByHandler } from '../../shared/lib/loopback-listener.ts';

test('the longest path that the API takes as a parameter comes through', async () => {
  const server = await listen(
    { servesPages: false, isAuthenticated: isAuthenticatedByHandler },
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
