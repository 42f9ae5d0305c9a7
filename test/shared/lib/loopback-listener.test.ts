import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  isAuthenticationLeftToHandler,
  isSameSecret,
  type LoopbackAccessRule,
  type LoopbackListener,
  listenOnLoopback,
} from '../../../shared/lib/loopback-listener.ts';

const RULES = {
  page: { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler },
  engine: {
    servesPages: false,
    isAuthenticated: ({ headers }) => isSameSecret(headers.authorization ?? '', 'secret'),
  },
} satisfies Record<string, LoopbackAccessRule>;

/** Sends headers as they are: `fetch` sets `Host` and `Origin` itself. */
const send = ({ port }: LoopbackListener, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((answered, failed) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      response.resume();
      answered(response.statusCode ?? 0);
    });
    sent.on('error', failed);
    sent.end('{}');
  });

describe.each(Object.entries(RULES))('a %s listener on loopback', (kind, rule) => {
  const secret: Record<string, string> = kind === 'engine' ? { authorization: 'secret' } : {};

  test.each([
    ['no other site that resolves to this machine', { host: 'evil.example' }],
    ['no such site with the port', { host: 'evil.example:80' }],
    ['no name that only begins like loopback', { host: '127.0.0.1.evil.example' }],
    ['no name that only ends like loopback', { host: 'evil-localhost' }],
    ['no page of another site', { origin: 'https://evil.example' }],
    ['no page of another port', { origin: 'http://127.0.0.1:1' }],
    ['no page in a sandboxed frame', { origin: 'null' }],
  ])('answers %s', async (_, headers) => {
    let calls = 0;
    const listener = await listenOnLoopback(rule, (_request, response) => {
      calls += 1;
      response.end();
    });
    try {
      expect(await send(listener, { ...secret, ...headers })).toBe(403);
      expect(calls).toBe(0);
      for (const host of [`127.0.0.1:${listener.port}`, `localhost:${listener.port}`])
        expect(await send(listener, { ...secret, host })).toBe(200);
    } finally {
      await listener.stop();
    }
  });
});

test('a page of the listener itself may call it only where it serves pages', async () => {
  for (const [rule, status] of [[RULES.page, 200] as const, [RULES.engine, 403] as const]) {
    const listener = await listenOnLoopback(rule, (_, response) => response.end());
    try {
      expect(await send(listener, { authorization: 'secret', origin: listener.url })).toBe(status);
    } finally {
      await listener.stop();
    }
  }
});

test('an engine answers nobody without its secret, and no browser with it', async () => {
  const listener = await listenOnLoopback(RULES.engine, (_, response) => response.end());
  try {
    expect(await send(listener, {})).toBe(403);
    expect(await send(listener, { authorization: 'wrong' })).toBe(403);
    expect(await send(listener, { authorization: 'secret', 'sec-fetch-site': 'same-origin' })).toBe(403);
    expect(await send(listener, { authorization: 'secret' })).toBe(200);
  } finally {
    await listener.stop();
  }
});

const CREATES_LISTENER = /import [^;]*\bcreate(?:Secure)?Server\b[^;]* from 'node:\w+';|await app\.listen\(/;
test('no other module of the product creates a listener', () => {
  const root = resolve(import.meta.dirname, '../../..');
  const rooms = ['cli', 'containers', 'functions', 'gates', 'local', 'shared', 'workspace'];
  const creating = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true })
      .map((file) => `${room}/${String(file).replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => CREATES_LISTENER.test(readFileSync(join(root, file), 'utf8'))),
  );
  // The first looks for a free port and accepts no connection.
  expect(creating).toEqual(['gates/screenshots/take-screenshots.ts', 'shared/lib/loopback-listener.ts']);
});
