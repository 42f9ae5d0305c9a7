import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret, listenOnLoopback } from '../../shared/lib/loopback-listener.ts';
import { type Discovery, exchangeCode, type SignInSettings, signInError } from './identity-provider.ts';
import type { StoredSignIn } from './stored-sign-ins.ts';

const CALLBACK_PATH = '/callback';
const random = (): string => randomBytes(32).toString('base64url');
/** Returns the query of a request. Its target may be no address: any page can have a browser ask for `//`. */
const queryOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1));

/**
 * Signs in with the browser: authorization code with PKCE, and a redirect to a listener on loopback (RFC 8252).
 * @param open shows an address to the user @throws CliError if the user refuses, or the signal aborts
 */
export async function signInWithBrowser(
  discovery: Discovery,
  settings: SignInSettings,
  open: (address: string) => void,
  signal: AbortSignal,
): Promise<StoredSignIn> {
  const { authorization_endpoint: endpoint } = discovery;
  if (endpoint === undefined) throw signInError('The issuer has no sign-in with a browser.', 'Use --device.');
  const [state, nonce, code_verifier] = [random(), random(), random()];
  const redirected = Promise.withResolvers<URLSearchParams>();
  const listener = await listenOnLoopback(
    {
      servesPages: true,
      isAuthenticated: (request) => isSameSecret(queryOf(request).get('state') ?? '', state),
    },
    (request, response) => {
      request.resume();
      const isCallback = request.method === 'GET' && (request.url ?? '').startsWith(`${CALLBACK_PATH}?`);
      response.writeHead(isCallback ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      });
      response.end(isCallback ? 'You may close this page, and go back to the terminal.\n' : 'Not found\n');
      if (isCallback) redirected.resolve(queryOf(request));
    },
  );
  const abort = (): void => redirected.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    const redirect_uri = `${listener.url}${CALLBACK_PATH}`;
    const address = new URL(endpoint);
    const parameters = {
      response_type: 'code',
      client_id: settings.client_id,
      redirect_uri,
      scope: settings.scope,
      state,
      nonce,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
      // Issuers give a refresh token for offline_access only with the consent of the user.
      ...(settings.scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    open(address.href);
    const answer = await redirected.promise;
    const code = answer.get('code');
    // RFC 9207: an answer that names its issuer must name this one.
    const issuer = answer.get('iss') ?? discovery.issuer;
    if (issuer !== discovery.issuer) throw signInError('The answer comes from another issuer.');
    if (code === null) {
      const error = answer.get('error') ?? '';
      throw signInError(
        `The issuer refuses the sign-in: ${/^[\w.-]{1,100}$/.test(error) ? error : 'no code'}.`,
      );
    }
    return await exchangeCode(discovery, settings, { code, redirect_uri, code_verifier }, nonce);
  } finally {
    signal.removeEventListener('abort', abort);
    await listener.stop();
  }
}
