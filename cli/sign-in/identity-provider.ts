import { setTimeout } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import * as z from 'zod';
import { isLoopbackUrl } from '../../shared/contract/repository/loopback.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { toOneLine } from '../output/text.ts';
import type { StoredSignIn } from './stored-sign-ins.ts';

const TIMEOUT_MS = 15_000;

const Endpoint = z
  .url({ protocol: /^https?$/ })
  .refine((url) => url.startsWith('https:') || isLoopbackUrl(url), 'is not an https:// address');
const Discovery = z.object({
  issuer: z.string(),
  token_endpoint: Endpoint,
  authorization_endpoint: Endpoint.optional(),
  device_authorization_endpoint: Endpoint.optional(),
  revocation_endpoint: Endpoint.optional(),
});
export type Discovery = z.infer<typeof Discovery>;

const TokenAnswer = z.object({
  access_token: z.string().optional(),
  id_token: z.string().optional(),
  refresh_token: z.string().optional(),
});
const DeviceAnswer = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().positive(),
  interval: z.number().positive().default(5),
});
export type DeviceAuthorization = z.infer<typeof DeviceAnswer>;

/** What the user signs in with. */
export type SignInSettings = Pick<StoredSignIn, 'issuer' | 'client_id' | 'scope' | 'send'>;

export const signInError = (message: string, hint?: string): CliError =>
  new CliError(CLI_EXIT_CODES.failed, 'sign_in_failed', message, { hint });

interface JsonAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
}

async function ask(url: string, form?: Readonly<Record<string, string>>): Promise<JsonAnswer> {
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const text = await answer.text();
    let body: unknown = null;
    try {
      body = JSON.parse(text);
    } catch {
      // An answer that is no JSON has no fields; its status says the rest.
    }
    return { ok: answer.ok, status: answer.status, body };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw signInError(`${host} does not answer: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}

/** Code of an error of OAuth in an answer; null if there is none. */
function errorCode({ body }: JsonAnswer): string | null {
  const parsed = z.object({ error: z.string().regex(/^[\w.-]{1,100}$/) }).safeParse(body);
  return parsed.success ? parsed.data.error : null;
}

/** Reads the discovery document of an issuer. @throws CliError */
export async function discover(issuer: string): Promise<Discovery> {
  const answer = await ask(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  const read = Discovery.safeParse(answer.body);
  if (answer.ok && read.success && read.data.issuer === issuer) return read.data;
  const wrong = read.success
    ? `it names ${toOneLine(read.data.issuer)} as its issuer`
    : `status ${answer.status}, and no discovery document of OpenID Connect`;
  throw signInError(
    `${issuer} is no issuer of identity tokens: ${wrong}.`,
    'Give --issuer exactly as the tokens have it.',
  );
}

/** Returns the sign-in that an answer of the token endpoint makes. @throws CliError if it has no token that the API can read */
function signInOf(settings: SignInSettings, answer: JsonAnswer, before?: StoredSignIn): StoredSignIn {
  const read = TokenAnswer.safeParse(answer.body);
  const token = read.success ? read.data[`${settings.send}_token`] : undefined;
  if (!answer.ok || !read.success || token === undefined)
    throw signInError(
      `The issuer gives no ${settings.send} token: ${errorCode(answer) ?? `status ${answer.status}`}.`,
      settings.send === 'id' ? 'The scope must contain openid.' : undefined,
    );
  let claims: ReturnType<typeof decodeJwt>;
  try {
    claims = decodeJwt(token);
  } catch {
    throw signInError(
      `The ${settings.send} token of the issuer is no JSON Web Token, so the API cannot read it.`,
      'Use --send id, or have the issuer make access tokens of that form.',
    );
  }
  if (typeof claims.exp !== 'number') throw signInError('The token of the issuer has no end.');
  const { issuer, client_id, scope, send } = settings;
  return {
    ...{ issuer, client_id, scope, send, token },
    refresh_token: read.data.refresh_token ?? before?.refresh_token ?? null,
    expires_at: new Date(claims.exp * 1_000).toISOString(),
  };
}

/** Exchanges the code of a browser sign-in. @throws CliError */
export async function exchangeCode(
  { token_endpoint }: Discovery,
  settings: SignInSettings,
  form: { readonly code: string; readonly redirect_uri: string; readonly code_verifier: string },
  nonce: string,
): Promise<StoredSignIn> {
  const { client_id } = settings;
  const answer = await ask(token_endpoint, { grant_type: 'authorization_code', client_id, ...form });
  const signIn = signInOf(settings, answer);
  const { id_token } = TokenAnswer.parse(answer.body);
  if (id_token !== undefined && decodeJwt(id_token)['nonce'] !== nonce)
    throw signInError('The token of the issuer belongs to another sign-in.');
  return signIn;
}

/** Makes a new token of a refresh token. Returns null if the issuer takes it no more. */
export async function refreshSignIn(
  discovery: Discovery,
  before: StoredSignIn,
): Promise<StoredSignIn | null> {
  if (before.refresh_token === null) return null;
  const { client_id, refresh_token } = before;
  const answer = await ask(discovery.token_endpoint, {
    grant_type: 'refresh_token',
    client_id,
    refresh_token,
  });
  const read = TokenAnswer.safeParse(answer.body);
  if (!answer.ok || !read.success || read.data[`${before.send}_token`] === undefined) return null;
  return signInOf(before, answer, before);
}

/** Has the issuer forget a refresh token, if it can. */
export async function revokeSignIn({ revocation_endpoint }: Discovery, signIn: StoredSignIn): Promise<void> {
  if (revocation_endpoint === undefined || signIn.refresh_token === null) return;
  await ask(revocation_endpoint, {
    token: signIn.refresh_token,
    token_type_hint: 'refresh_token',
    client_id: signIn.client_id,
  });
}

/** Begins a sign-in on another device (RFC 8628). @throws CliError if the issuer has none */
export async function startDeviceSignIn(
  { device_authorization_endpoint: url }: Discovery,
  { client_id, scope }: SignInSettings,
): Promise<DeviceAuthorization> {
  if (url === undefined)
    throw signInError(
      'The issuer has no sign-in on another device.',
      'Leave --device out to sign in with the browser.',
    );
  const answer = await ask(url, { client_id, scope });
  const read = DeviceAnswer.safeParse(answer.body);
  if (answer.ok && read.success) return read.data;
  throw signInError(`The issuer refuses the sign-in: ${errorCode(answer) ?? `status ${answer.status}`}.`);
}

/** Waits until the user has signed in on another device. @throws CliError if the user refuses, or the code expires */
export async function awaitDeviceSignIn(
  { token_endpoint }: Discovery,
  settings: SignInSettings,
  { device_code, interval, expires_in }: DeviceAuthorization,
  signal: AbortSignal,
): Promise<StoredSignIn> {
  const deadline = Date.now() + expires_in * 1_000;
  let wait = interval;
  while (Date.now() < deadline) {
    await setTimeout(wait * 1_000, undefined, { signal });
    const answer = await ask(token_endpoint, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code,
      client_id: settings.client_id,
    });
    const code = errorCode(answer);
    // RFC 8628: wait five seconds longer from then on.
    if (code === 'slow_down') wait += 5;
    else if (code !== 'authorization_pending') return signInOf(settings, answer);
  }
  throw signInError('Nobody signed in before the code expired.', 'Run `assay login --device` again.');
}
