import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findApiConnection } from '../../cli/connection.ts';
import { CliError } from '../../cli/exit.ts';
import { signInWithBrowser } from '../../cli/sign-in/browser-sign-in.ts';
import {
  awaitDeviceSignIn,
  discover,
  refreshSignIn,
  revokeSignIn,
  type SignInSettings,
  startDeviceSignIn,
} from '../../cli/sign-in/identity-provider.ts';
import { findSignIn, removeSignIn, signInPath, storeSignIn } from '../../cli/sign-in/stored-sign-ins.ts';
import { IdentityProvider, LOGIN_CLIENT } from '../support/oidc/identity-provider.ts';
import { ScriptedBrowser } from '../support/oidc/scripted-browser.ts';

const API = 'https://assay.example';
let provider: IdentityProvider;
let settings: SignInSettings;
let home: string;
let io: { readonly env: Record<string, string>; readonly cwd: string };
beforeAll(async () => {
  provider = await IdentityProvider.start();
  settings = { issuer: provider.issuer, client_id: LOGIN_CLIENT, scope: 'openid offline_access', send: 'id' };
});
afterAll(() => provider.stop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-login-'));
  io = { env: { HOME: home }, cwd: home };
});
afterEach(() => rmSync(home, { recursive: true }));

const never = new AbortController().signal;
/** Returns the status of a request whose target is no address. */
const statusOfTarget = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: new URL(url).port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).once('error', reject);
  });
const withBrowser = async (changes: Partial<SignInSettings> = {}) =>
  signInWithBrowser(
    await discover(provider.issuer),
    { ...settings, ...changes },
    (address) => void new ScriptedBrowser().signIn(address, 'ada'),
    never,
  );

describe('a sign-in with the browser', () => {
  it('gives an id token of the client, or an access token for the API', async () => {
    const signIn = await withBrowser();
    expect(decodeJwt(signIn.token)).toMatchObject({ iss: provider.issuer, aud: LOGIN_CLIENT, sub: 'ada' });
    expect(Date.parse(signIn.expires_at)).toBeGreaterThan(Date.now());
    const access = await withBrowser({ send: 'access', scope: 'openid offline_access api' });
    expect(decodeJwt(access.token)).toMatchObject({ aud: 'assay', sub: 'ada' });
  });

  it('is renewed without the browser until it is revoked', async () => {
    const discovery = await discover(provider.issuer);
    const signIn = await withBrowser();
    const renewed = await refreshSignIn(discovery, signIn);
    expect(decodeJwt(renewed?.token ?? '')).toMatchObject({ sub: 'ada' });
    if (renewed === null) throw new Error('not renewed');
    await revokeSignIn(discovery, renewed);
    expect(await refreshSignIn(discovery, renewed)).toBeNull();
  });

  it('answers no one without its state, and says what the issuer refused', async () => {
    const discovery = await discover(provider.issuer);
    const statuses: number[] = [];
    const answerWrongly = async (address: string): Promise<void> => {
      const asked = new URL(address).searchParams;
      const [callback, state] = [asked.get('redirect_uri') ?? '', asked.get('state') ?? ''];
      const other = callback.replace('/callback', '/other');
      for (const url of [
        `${callback}?code=stolen`,
        `${callback}?code=stolen&state=guessed`,
        `${other}?state=${state}`,
      ])
        statuses.push((await fetch(url)).status);
      statuses.push(await statusOfTarget(callback, '//'));
      await fetch(`${callback}?${new URLSearchParams({ error: 'access_denied', state })}`);
    };
    const signingIn = signInWithBrowser(discovery, settings, (address) => void answerWrongly(address), never);
    await expect(signingIn).rejects.toThrow('The issuer refuses the sign-in: access_denied.');
    expect(statuses).toEqual([403, 403, 404, 403]);
  });

  it('refuses the answer of another issuer', async () => {
    const signingIn = signInWithBrowser(
      await discover(provider.issuer),
      settings,
      (address) => {
        const asked = new URL(address).searchParams;
        const answer = { code: 'c', state: asked.get('state') ?? '', iss: 'https://evil.test' };
        void fetch(`${asked.get('redirect_uri')}?${new URLSearchParams(answer)}`);
      },
      never,
    );
    await expect(signingIn).rejects.toThrow('another issuer');
  });
});

describe('a sign-in on another device', () => {
  it('waits until the user has entered the code', async () => {
    const discovery = await discover(provider.issuer);
    const device = await startDeviceSignIn(discovery, settings);
    const browser = new ScriptedBrowser();
    const waiting = awaitDeviceSignIn(discovery, settings, { ...device, interval: 0.05 }, never);
    await browser.signIn(device.verification_uri_complete ?? '', 'grace');
    expect(decodeJwt((await waiting).token)).toMatchObject({ sub: 'grace' });
  });

  it('ends when the code has expired', async () => {
    const discovery = await discover(provider.issuer);
    const device = await startDeviceSignIn(discovery, settings);
    const waiting = awaitDeviceSignIn(
      discovery,
      settings,
      { ...device, interval: 0.01, expires_in: 0.05 },
      never,
    );
    await expect(waiting).rejects.toThrow('Nobody signed in before the code expired.');
  });
});

describe('an issuer', () => {
  it.each([
    ['that answers for another one', () => `${provider.issuer}/`, 'as its issuer'],
    ['that is none', () => `${provider.issuer}/nothing`, 'status 404'],
  ])('is refused %s', async (_what, issuer, reason) => {
    await expect(discover(issuer())).rejects.toThrow(reason);
  });
});

describe('a stored sign-in', () => {
  const stored = {
    ...{ issuer: 'https://idp.example', client_id: 'cli', scope: 'openid', send: 'id' as const },
    ...{ token: 'a.b.c', refresh_token: null, expires_at: '2026-01-01T00:00:00.000Z' },
  };

  it('is readable for its owner only, and is sent to its own address only', () => {
    storeSignIn(`${API}/`, stored, io);
    expect(statSync(signInPath(io)).mode & 0o777).toBe(0o600);
    expect(findApiConnection({ url: API }, io).token).toBe('a.b.c');
    expect(findApiConnection({ url: `${API}.evil.test` }, io).token).toBeUndefined();
    expect(findApiConnection({ url: API, token: 'given' }, io).token).toBe('given');
    expect(removeSignIn(API, io)).toEqual(stored);
    expect(findSignIn(API, io)).toBeNull();
  });

  it.each([
    ['others may read it', 0o644, JSON.stringify({ sign_ins: {} })],
    ['it is damaged', 0o600, '{"sign_ins": {"a'],
  ])('is refused when %s', (_what, mode, text) => {
    storeSignIn(API, stored, io);
    rmSync(signInPath(io));
    writeFileSync(signInPath(io), text, { mode });
    expect(() => findSignIn(API, io)).toThrow(CliError);
    expect(readFileSync(signInPath(io), 'utf8')).toBe(text);
  });
});
