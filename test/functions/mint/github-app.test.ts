import { generateKeyPairSync, verify } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInstallationToken, signGitHubAppToken } from '../../../functions/mint/github-app.ts';
import { readParsedSecret } from '../../../functions/runtime/secrets.ts';
import { GitCredentialsSecret } from '../../../shared/contract/repository/git-secret.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (type: 'pkcs1' | 'pkcs8') => String(keys.privateKey.export({ type, format: 'pem' }));
const NOW = new Date('2026-11-20T10:00:00.000Z');
const SHOP = 'https://github.com/acme/shop.git';

let server: Server;
let answers: { status: number; body: unknown; headers?: Record<string, string> };
const asked: { url: string; headers: Record<string, unknown>; body: unknown }[] = [];
beforeEach(async () => {
  asked.length = 0;
  answers = {
    status: 201,
    body: {
      token: 'ghs_1',
      permissions: { contents: 'read', metadata: 'read' },
      repositories: [{ name: 'Shop' }],
    },
  };
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    asked.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
    response
      .writeHead(answers.status, answers.headers)
      .end(typeof answers.body === 'string' ? answers.body : JSON.stringify(answers.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const app = (fields: Partial<{ private_key: string; api_url: string }> = {}) => ({
  url: 'https://github.com/acme',
  github_app: {
    app_id: '7',
    installation_id: '8',
    private_key: pem('pkcs1'),
    api_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...fields,
  },
});
const ask = (repository = SHOP, fields: Parameters<typeof app>[0] = {}) =>
  createInstallationToken(app(fields), repository, 'read', NOW);

describe('what the App says of itself', () => {
  it.each(['pkcs1', 'pkcs8'] as const)('is signed with RS256 by a key in %s, for a few minutes', (type) => {
    const jwt = signGitHubAppToken({ ...app().github_app, private_key: pem(type) }, NOW);
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const seconds = NOW.getTime() / 1_000;
    expect(read(claims)).toEqual({ iss: '7', iat: seconds - 60, exp: seconds + 300 });
    expect(
      verify(
        'RSA-SHA256',
        Buffer.from(`${head}.${claims}`),
        keys.publicKey,
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true);
  });
});

describe('a token of an installation', () => {
  it('is asked for one repository and its contents alone', async () => {
    expect(await ask()).toEqual({ token: 'ghs_1' });
    expect(asked).toMatchObject([
      {
        url: '/app/installations/8/access_tokens',
        body: { repositories: ['shop'], permissions: { contents: 'read' } },
      },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['may do more', { token: 't', permissions: { contents: 'write' } }, 'contents: write'],
    [
      'may do something else',
      { token: 't', permissions: { contents: 'read', issues: 'write' } },
      'issues: write',
    ],
    [
      'is for others',
      { token: 't', permissions: {}, repositories: [{ name: 'shop' }, { name: 'bank' }] },
      'other repositories',
    ],
  ])('is not handed on when it %s than was asked', async (_what, body, message) => {
    answers = { status: 201, body };
    expect(await ask()).toEqual({
      outcome: 'refused',
      message: expect.stringContaining(message),
      transient: false,
    });
  });

  it.each([
    [401, false, 'by this id and key'],
    [404, false, 'no such installation'],
    [422, false, 'not installed on shop'],
    [403, true, '403'],
    [500, true, '500'],
  ])('that GitHub refuses with %d is transient: %s', async (status, transient, message) => {
    answers = { status, body: { message: 'secret words' } };
    expect(await ask()).toEqual({ outcome: 'refused', message: expect.stringContaining(message), transient });
  });

  it('is asked of nobody else', async () => {
    answers = { status: 302, body: {}, headers: { location: 'http://127.0.0.1:1/' } };
    expect(await ask()).toMatchObject({ outcome: 'refused', transient: true });
    expect(await ask(SHOP, { api_url: 'http://127.0.0.1:1' })).toMatchObject({
      outcome: 'refused',
      transient: true,
    });
  });

  it('is none where the answer, the key or the URL is no such thing', async () => {
    answers = { status: 201, body: 'no JSON' };
    expect(await ask()).toMatchObject({ outcome: 'refused', transient: true });
    asked.length = 0;
    expect(await ask(SHOP, { private_key: '-----BEGIN RSA PRIVATE KEY-----\nx' })).toMatchObject({
      message: 'the private key of the App cannot be read',
    });
    for (const url of ['https://github.com/acme', 'https://github.com/acme/a/b.git'])
      expect(await ask(url)).toMatchObject({ message: expect.stringContaining('an owner and a name') });
    expect(asked).toEqual([]);
  });
});

describe('the secret', () => {
  const from = (text: string | undefined) => {
    process.env['SECRET_OF_THIS_TEST'] = text ?? '';
    return readParsedSecret('repositories', GitCredentialsSecret, {
      via: 'environment',
      variable: 'SECRET_OF_THIS_TEST',
    });
  };
  it.each([
    ['{"credentials":[{"url":"https://a.test/x","token":"hush hush"}]}', 'wrong at /credentials/0'],
    ['{"credentials":[{"url":"http://a.test/x","token":"hush"}]}', 'wrong at /credentials/0'],
    [
      '{"credentials":[{"url":"https://a.test/x","token":"hush"},{"url":"https://a.test/x/","token":"hush"}]}',
      'wrong at /credentials/1/url',
    ],
    ['hush', 'is not JSON'],
    ['', 'has no secret'],
  ])('%s is refused by its field, and nothing of it is told', async (text, message) => {
    const error = await from(text).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain('hush');
  });
});
