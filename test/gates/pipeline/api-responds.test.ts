import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkApiResponds } from '../../../gates/pipeline/api-responds.ts';
import { CompletionSignal } from '../../../shared/contract/submission/signals.ts';
import { createSubject } from '../../support/patch-fixture.ts';

/** Below those that the system hands out, and for each process others: nobody else can get one of them in between. */
let nextPort = 20_000 + (process.pid % 1_000) * 10;
async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

type Signal = Extract<CompletionSignal, { type: 'api_responds' }>;
const signalOf = (fields: object): Signal =>
  CompletionSignal.parse({
    type: 'api_responds',
    command: 'true',
    url: 'http://127.0.0.1:8080/',
    ...fields,
  }) as Signal;

/** A service of the patch that answers each request with `handle`. */
async function asked(handle: string, fields: object = {}, before = '') {
  const port = await freePort();
  const code = `import { createServer } from 'node:http';\n${before}\ncreateServer((request, response) => { ${handle} }).listen(${port}, '127.0.0.1');\n`;
  const subject = await createSubject({ 'a.txt': 'a\n' }, { 'service.mjs': code });
  const url = `http://127.0.0.1:${port}/health`;
  return {
    port,
    seen: await checkApiResponds(subject, signalOf({ command: 'exec node service.mjs', url, ...fields })),
  };
}

describe('api_responds', () => {
  it.each<[string, string, object, string, string]>([
    ['the wanted status', 'response.end("ok");', {}, 'passed', 'answers 200'],
    [
      'another status that is wanted',
      'response.writeHead(404).end();',
      { status: 404 },
      'passed',
      'answers 404',
    ],
    ['text that is wanted', 'response.end("all is well");', { contains: 'is well' }, 'passed', 'answers 200'],
    [
      'another status',
      'response.writeHead(500).end();',
      { timeout_s: 1 },
      'failed',
      'answers 500, and 200 is wanted',
    ],
    ['other text', 'response.end("no");', { contains: 'yes', timeout_s: 1 }, 'failed', 'without "yes": no'],
    [
      'a redirect to elsewhere, which nobody follows',
      'response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end();',
      { timeout_s: 1 },
      'failed',
      'answers 302',
    ],
    ['silence', 'void response;', { timeout_s: 1 }, 'timed_out', 'nobody has answered'],
    [
      'text without an end',
      'setInterval(() => response.write("x".repeat(65536)), 1);',
      {},
      'passed',
      'answers 200',
    ],
  ])('with %s', async (_, handle, fields, outcome, detail) => {
    const { seen, port } = await asked(handle, fields);
    expect(seen).toMatchObject({ outcome, kind: 'executed', detail: expect.stringContaining(detail) });
    // The service has ended with its answer.
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it('waits for a service that is not ready at first', async () => {
    const handle = 'if (++count < 3) response.writeHead(503).end(); else response.end("ok");';
    const { seen } = await asked(handle, {}, 'let count = 0;');
    expect(seen).toMatchObject({ outcome: 'passed' });
  });

  it('says why a service has ended before it answered', async () => {
    const { seen } = await asked('', {}, 'console.error("no such database"); process.exit(3);');
    expect(seen).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(/exited 3.*no such database/s),
    });
  });

  it('takes nobody else for the service', async () => {
    const server = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const subject = await createSubject({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' });
    const seen = await checkApiResponds(subject, signalOf({ url: `http://localhost:${port}/` }));
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toMatchObject({ outcome: 'infra_failed', detail: expect.stringContaining('already') });
  });

  it('asks services of one port one after the other', async () => {
    const port = await freePort();
    const code = `require('node:http').createServer((_, response) => response.end('ok')).listen(${port}, '127.0.0.1');\n`;
    const subject = await createSubject({ 'a.txt': 'a\n' }, { 'service.cjs': code });
    const signal = signalOf({ command: 'exec node service.cjs', url: `http://127.0.0.1:${port}/` });
    const seen = await Promise.all([checkApiResponds(subject, signal), checkApiResponds(subject, signal)]);
    expect(seen.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  });

  it.each([
    'https://127.0.0.1:8080/',
    'http://127.0.0.1/',
    'http://127.0.0.1:80/',
    'http://169.254.169.254:8080/latest/meta-data/',
    'http://[fd00:ec2::254]:8080/',
    'http://127.0.0.1.nip.io:8080/',
    'http://localhost.example.com:8080/',
    'http://metadata.google.internal:8080/',
    'http://user:word@127.0.0.1:8080/',
    'http://0.0.0.0:8080/',
    'file:///etc/passwd',
    'not a url',
  ])('is refused for %s', (url) => {
    expect(CompletionSignal.safeParse({ type: 'api_responds', command: 'x', url }).success).toBe(false);
  });

  it.each(['http://127.0.0.1:8080/a?b=c', 'http://localhost:3000', 'http://[::1]:8080/'])(
    'may ask %s',
    (url) => {
      expect(signalOf({ url })).toMatchObject({ status: 200, timeout_s: 60 });
    },
  );

  it('reads other spellings of loopback as what they are', () => {
    // The parser of URLs makes 127.0.0.1 of these: what is checked is what is asked.
    for (const url of ['http://2130706433:8080/', 'http://0x7f.1:8080/'])
      expect(new URL(signalOf({ url }).url).hostname).toBe('127.0.0.1');
  });
});
