import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { isLoopbackUrl } from '../../shared/contract/repository/loopback.ts';
import {
  mapClaims,
  type OidcIdentity,
  type OidcIssuer,
  type TokenClaims,
} from '../../shared/control/oidc/oidc-settings.ts';

/** Signatures of a public key only: a token that is signed with a shared secret, or not at all, is refused. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Id tokens and access tokens: an issuer signs others with the same keys, such as those of a sign-out. */
const TOKEN_TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];
/** Seconds that the clocks of issuer and deployment may differ. */
export const CLOCK_TOLERANCE_SECONDS = 30;
const TIMEOUT_MS = 4_000;
/** Keys are read anew after this, and at once for a key id that is unknown, but not again before the cooldown ends. */
const KEY_CACHE_MS = 600_000;
export const KEY_COOLDOWN_MS = 30_000;
/** Pause after the keys of an issuer could not be read. */
export const FAILURE_PAUSE_MS = 5_000;
/** Characters of the longest token that is looked at. */
const MAX_TOKEN = 8_192;
const MAX_DOCUMENT = 1_048_576;

export interface VerifiedOidcToken {
  readonly identity: OidcIdentity;
  /** The end that the token names, and the tolerance of clocks. */
  readonly expiresAt: Date;
}

/** Verifies identity tokens of the issuers of a deployment, and keeps their keys. */
export class OidcVerifier {
  readonly #issuers: readonly OidcIssuer[];
  readonly #now: () => Date;
  readonly #keys = new Map<string, Promise<JWTVerifyGetKey>>();
  readonly #failures = new Map<string, { readonly until: number; readonly error: unknown }>();

  constructor(issuers: readonly OidcIssuer[], now: () => Date = () => new Date()) {
    this.#issuers = issuers;
    this.#now = now;
  }

  /**
   * Returns whom a token names, or null if it is not valid here.
   * @throws Error if the keys of its issuer could not be read: then nothing is known of the token
   */
  async verify(token: string): Promise<VerifiedOidcToken | null> {
    const issuer = token.length > MAX_TOKEN ? undefined : this.#issuerOf(token);
    if (issuer === undefined) return null;
    const claims = await this.#verifiedClaims(token, issuer);
    if (claims === null || typeof claims['exp'] !== 'number') return null;
    const audience = claims[issuer.audience_claim];
    const given = Array.isArray(audience) ? audience : [audience];
    if (!given.some((each) => typeof each === 'string' && issuer.audiences.includes(each))) return null;
    const identity = mapClaims(issuer, claims);
    return identity && { identity, expiresAt: new Date((claims['exp'] + CLOCK_TOLERANCE_SECONDS) * 1_000) };
  }

  #issuerOf(token: string): OidcIssuer | undefined {
    try {
      const { typ = 'JWT' } = decodeProtectedHeader(token);
      if (!TOKEN_TYPES.includes(typ.toLowerCase())) return undefined;
      const { iss } = decodeJwt(token);
      return this.#issuers.find(({ issuer }) => issuer === iss);
    } catch {
      return undefined;
    }
  }

  async #verifiedClaims(token: string, { issuer }: OidcIssuer): Promise<TokenClaims | null> {
    const failure = this.#failures.get(issuer);
    if (failure && failure.until > this.#now().getTime()) throw failure.error;
    try {
      const { payload } = await jwtVerify(token, await this.#keysOf(issuer), {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.#now(),
        requiredClaims: ['exp', 'iat', 'sub'],
      });
      return payload;
    } catch (error) {
      if (isRefusal(error)) return null;
      // So that tokens that anyone can make up do not have an issuer asked that is away.
      this.#failures.set(issuer, { until: this.#now().getTime() + FAILURE_PAUSE_MS, error });
      throw error;
    }
  }

  #keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const known = this.#keys.get(issuer);
    if (known) return known;
    const reading = readKeySet(issuer);
    this.#keys.set(issuer, reading);
    // An issuer that was away is asked again with the next token.
    reading.catch(() => this.#keys.delete(issuer));
    return reading;
  }
}

/** Whether an error says that the token is wrong. Others say that the keys could not be read. */
const isRefusal = (error: unknown): boolean =>
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys;

/** Reads a document of an issuer: no redirect, and no more than is sensible. */
const readDocument = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
  const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (Number(answer.headers.get('content-length') ?? 0) > MAX_DOCUMENT)
    throw new Error(`${new URL(url).host} answers with more than ${MAX_DOCUMENT} bytes`);
  return answer;
};

/** Finds the keys of an issuer by its discovery document. @throws Error if it cannot be read, or does not belong to the issuer */
async function readKeySet(issuer: string): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const answer = await readDocument(address);
  if (!answer.ok) throw new Error(`the issuer ${issuer} answers ${answer.status}`);
  const document = (await answer.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  const keys = document?.jwks_uri;
  if (document?.issuer !== issuer || typeof keys !== 'string' || !URL.canParse(keys))
    throw new Error(`the discovery document of ${issuer} is not its own, or names no keys`);
  if (!keys.startsWith('https:') && !(isLoopbackUrl(keys) && isLoopbackUrl(issuer)))
    throw new Error(`the discovery document of ${issuer} names keys without https`);
  return createRemoteJWKSet(new URL(keys), {
    cacheMaxAge: KEY_CACHE_MS,
    cooldownDuration: KEY_COOLDOWN_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: readDocument,
  });
}
