import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayRequestAuthorizerEventV2 } from 'aws-lambda';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CLOCK_TOLERANCE_SECONDS,
  FAILURE_PAUSE_MS,
  KEY_COOLDOWN_MS,
  OidcVerifier,
} from '../../functions/api/verify-oidc-token.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { OidcIssuers } from '../../shared/control/oidc/oidc-settings.ts';
import { FUNCTION_ENV } from '../support/function-env-values.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';
import { AUDIENCE, IdentityProvider } from '../support/oidc/identity-provider.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
const SHOP = 'https://github.com/acme/shop';
let provider: IdentityProvider;
let issuers: OidcIssuers;
let verifier: OidcVerifier;
let now: Date;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  issuers = OidcIssuers.parse([
    {
      name: 'idp',
      issuer: provider.issuer,
      audiences: [AUDIENCE],
      rules: [
        { claims: { groups: ['reviewers'] }, role: 'review', repositories: [SHOP] },
        {
          claims: { repository: ['acme/*'] },
          role: 'submit',
          repositories: ['https://github.com/{repository}'],
        },
      ],
    },
  ]);
});
afterAll(() => provider.stop());
beforeEach(() => {
  now = new Date();
  verifier = new OidcVerifier(issuers, () => now);
  provider.isDown = false;
  provider.requests.length = 0;
});

const seconds = (offset: number): number => Math.floor(Date.now() / 1_000) + offset;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token of an identity provider', () => {
  it('is its subject, with the role and repositories that its claims are mapped to, until it ends', async () => {
    const token = await provider.machineToken();
    const verified = await verifier.verify(token);
    expect(verified?.identity).toEqual({ name: 'idp:machine', role: 'review', repositories: [SHOP] });
    expect(Number(verified?.expiresAt)).toBeGreaterThan(Date.now());
  });

  it('of a workflow is good for the repository of the workflow', async () => {
    const claims = { groups: undefined, sub: 'repo:acme/shop:ref:refs/heads/main', repository: 'acme/shop' };
    expect((await verifier.verify(await provider.sign(claims)))?.identity).toEqual({
      name: 'idp:repo:acme/shop:ref:refs/heads/main',
      role: 'submit',
      repositories: [SHOP],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['has expired', { exp: seconds(-CLOCK_TOLERANCE_SECONDS - 60) }],
    ['is not valid yet', { nbf: seconds(CLOCK_TOLERANCE_SECONDS + 60) }],
    ['never ends', { exp: undefined }],
    ['is for another audience', { aud: 'other' }],
    ['is for nobody', { aud: undefined }],
    ['has another issuer', { iss: 'https://evil.test' }],
    ['has no issuer', { iss: undefined }],
    ['has no subject', { sub: undefined }],
    ['has a subject that hides something', { sub: 'ada\u200b' }],
    ['has claims that no rule maps', { groups: ['guests'] }],
    ['has a repository of others', { groups: undefined, repository: 'acmeevil/shop' }],
    ['has a repository that leads elsewhere', { groups: undefined, repository: 'acme/../evil' }],
    ['has a repository with a query', { groups: undefined, repository: 'acme/shop?x' }],
  ])('is refused that %s', async (_what, claims) => {
    expect(await verifier.verify(await provider.sign(claims))).toBeNull();
  });

  it('is refused that is neither an id token nor an access token', async () => {
    expect(await verifier.verify(await provider.sign({}, { typ: 'at+jwt' }))).not.toBeNull();
    expect(await verifier.verify(await provider.sign({}, { typ: 'logout+jwt' }))).toBeNull();
  });

  it('may come from a clock that is a little late or early', async () => {
    const late = await provider.sign({ exp: seconds(-CLOCK_TOLERANCE_SECONDS + 10) });
    const early = await provider.sign({ nbf: seconds(CLOCK_TOLERANCE_SECONDS - 10) });
    expect([await verifier.verify(late), await verifier.verify(early)]).toEqual([
      expect.anything(),
      expect.anything(),
    ]);
  });

  it('is refused without a signature, with a shared secret, and with a changed content', async () => {
    const good = await provider.sign();
    const [header = '', payload = '', signature = ''] = good.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const keys = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: { n: string }[] };
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
      .sign(Buffer.from(keys.keys[0]?.n ?? '', 'base64url'));
    const bad = [
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none', kid: 'key-1' })}.${payload}.${signature}`,
      hmac,
      `${header}.${encode({ ...claims, groups: ['reviewers'], sub: 'eve' })}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      'a.b.c',
      `${good}${'x'.repeat(10_000)}`,
    ];
    for (const token of bad) expect(await verifier.verify(token), token.slice(0, 40)).toBeNull();
    expect(await verifier.verify(good)).not.toBeNull();
  });

  it('asks the issuer for its keys once, and nobody for tokens of others', async () => {
    await Promise.all(Array.from({ length: 5 }, async () => verifier.verify(await provider.sign())));
    await verifier.verify(await provider.sign({ iss: 'https://evil.test' }));
    expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('with an unknown key has the keys read again, once in a while', async () => {
    await verifier.verify(await provider.sign());
    for (let index = 0; index < 5; index++)
      expect(await verifier.verify(await provider.sign({}, { kid: `made-up-${index}` }))).toBeNull();
    expect(provider.requests.filter((path) => path === '/jwks')).toHaveLength(1);
  });

  it('leaves an issuer alone for a moment that is away, and says nothing about the token', async () => {
    provider.isDown = true;
    const token = await provider.sign();
    for (let index = 0; index < 5; index++)
      await expect(verifier.verify(token)).rejects.toThrow(`the issuer ${provider.issuer} answers 503`);
    expect(provider.requests).toHaveLength(1);
    provider.isDown = false;
    now = new Date(now.getTime() + FAILURE_PAUSE_MS + 1);
    expect(await verifier.verify(token)).not.toBeNull();
  });
});

describe('an e-mail address', () => {
  it('that the issuer has not confirmed satisfies no rule and names nobody', async () => {
    const [issuer] = issuers;
    if (issuer === undefined) throw new Error('no issuer');
    const byRule = { ...issuer, rules: [{ claims: { email: ['ada@acme.test'] }, role: 'review' as const }] };
    const bySubject = { ...issuer, subject_claim: 'email' };
    for (const each of [byRule, bySubject])
      for (const [email_verified, isGood] of [
        [true, true],
        [false, false],
        [undefined, false],
      ] as const) {
        const token = await provider.sign({ groups: ['reviewers'], email: 'ada@acme.test', email_verified });
        expect((await new OidcVerifier([each]).verify(token)) !== null).toBe(isGood);
      }
  });
});

describe('the settings', () => {
  it('refuse a claim as the host of a repository, and two issuers of one name', () => {
    const issuer = { name: 'idp', issuer: 'https://idp.example', audiences: ['a'] };
    const withTemplate = (repository: string) =>
      OidcIssuers.safeParse([
        { ...issuer, rules: [{ claims: { a: ['b'] }, role: 'read', repositories: [repository] }] },
      ]).success;
    const hosts = ['https://{host}/acme', 'https://{host}.example/acme', 'https://github.com{host}/acme'];
    // Each of them, and not only the first that is looked at.
    expect([...hosts, ...hosts].map(withTemplate)).toEqual(Array(6).fill(false));
    expect(withTemplate('https://github.com/{repository}')).toBe(true);
    const rules = [{ claims: { a: ['b'] }, role: 'read' }];
    expect(
      OidcIssuers.safeParse([
        { ...issuer, rules },
        { ...issuer, rules },
      ]).success,
    ).toBe(false);
    expect(OidcIssuers.safeParse([{ ...issuer, issuer: 'http://idp.example', rules }]).success).toBe(false);
  });
});

describe('the authorizer', () => {
  it('takes tokens of issuers beside opaque ones, and hands their end and repositories to the functions', async () => {
    Object.assign(process.env, FUNCTION_ENV, { [FUNCTION_ENV_NAMES.oidc]: JSON.stringify(issuers) });
    const { handler } = await import('../../functions/api/authorizer.ts');
    const ask = (token: string) =>
      handler({
        headers: { authorization: `Bearer ${token}` },
      } as unknown as APIGatewayRequestAuthorizerEventV2);
    const exp = seconds(300);
    expect(await ask(await provider.sign({ exp }))).toEqual({
      isAuthorized: true,
      context: {
        caller: 'operator',
        principal: 'idp:ada',
        role: 'review',
        repositories: JSON.stringify([SHOP]),
        task_id: '',
        attempt: 0,
        launch: 0,
        ends_at: exp + CLOCK_TOLERANCE_SECONDS,
      },
    });
    expect(await ask(await provider.sign({ aud: 'other' }))).toEqual({ isAuthorized: false });
    expect(db.calls()).toEqual([]);
    db.onAnyCommand().resolves({});
    expect(await ask(`assay_op_${'a'.repeat(43)}`)).toEqual({ isAuthorized: false });
    expect(db.calls()).toHaveLength(1);
  });

  // Last: the key of the other tests is gone then.
  it('follows an issuer to its next key when the cooldown is over', async () => {
    const long = { exp: seconds(3_600) };
    await verifier.verify(await provider.sign(long));
    await provider.rotateKey();
    const next = await provider.sign(long);
    expect(await verifier.verify(next)).toBeNull();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + KEY_COOLDOWN_MS + 1_000 });
    try {
      expect(await verifier.verify(next)).not.toBeNull();
    } finally {
      vi.useRealTimers();
    }
    expect(provider.requests.filter((path) => path === '/jwks')).toHaveLength(2);
  });
});
