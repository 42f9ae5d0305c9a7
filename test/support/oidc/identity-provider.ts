import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export const AUDIENCE = 'assay';
/** Client of machines, and the public client of `assay login`. */
export const MACHINE = { client_id: 'machine', client_secret: 'a secret of a machine' } as const;
export const LOGIN_CLIENT = 'assay-cli';

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function createSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

/** The identity provider `oidc-provider` on loopback. */
export class IdentityProvider {
  /** Paths of its requests. */
  readonly requests: string[] = [];
  /** While true, it answers nothing but errors. */
  isDown = false;
  readonly #server: Server;
  #key: SigningKey;
  #provider: Provider | undefined;
  #keys = 1;

  private constructor(key: SigningKey) {
    this.#key = key;
    this.#server = createServer((request, response) => {
      this.requests.push((request.url ?? '').split('?', 1)[0] ?? '');
      if (this.isDown) response.writeHead(503).end('down');
      else void this.#provider?.callback()(request, response);
    });
  }

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider(await createSigningKey('key-1'));
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', () => resolve()));
    provider.#serve();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** Signs with another key from now on, and publishes only that one. */
  async rotateKey(): Promise<void> {
    this.#keys += 1;
    this.#key = await createSigningKey(`key-${this.#keys}`);
    this.#serve();
  }

  #serve(): void {
    this.#provider = new Provider(this.issuer, {
      clients: [
        { ...MACHINE, redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
        {
          client_id: LOGIN_CLIENT,
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/callback'],
          response_types: ['code'],
          grant_types: [
            'authorization_code',
            'refresh_token',
            'urn:ietf:params:oauth:grant-type:device_code',
          ],
        },
      ],
      jwks: { keys: [this.#key.jwk] },
      cookies: { keys: ['a key for cookies of tests'] },
      features: {
        clientCredentials: { enabled: true },
        deviceFlow: { enabled: true },
        revocation: { enabled: true },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'urn:assay',
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'api',
            audience: AUDIENCE,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
          }),
        },
      },
      extraTokenClaims: () => ({ groups: ['staff', 'reviewers'] }),
      pkce: { required: () => true },
    });
  }

  /** An access token that the provider issues to a machine. */
  async machineToken(): Promise<string> {
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api', ...MACHINE }),
    });
    if (!answer.ok) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  /** A token of the provider's key with other claims. Undefined removes a claim. */
  sign(
    claims: Readonly<Record<string, unknown>> = {},
    header: { readonly kid?: string; readonly typ?: string } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const payload: Record<string, unknown> = {
      ...{ iss: this.issuer, aud: AUDIENCE, sub: 'ada', iat: now, exp: now + 600, groups: ['reviewers'] },
      ...claims,
    };
    return new SignJWT(payload as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', kid: this.#key.jwk.kid ?? '', ...header })
      .sign(this.#key.privateKey);
  }
}
