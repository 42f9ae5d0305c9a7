import { isLoopbackUrl } from '../../shared/contract/repository/loopback.ts';
import { abortOnSignals } from '../abort-on-signals.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { openInBrowser } from '../open-address.ts';
import { toOneLine } from '../output/text.ts';
import { defineOption } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { signInWithBrowser } from '../sign-in/browser-sign-in.ts';
import {
  awaitDeviceSignIn,
  type Discovery,
  discover,
  refreshSignIn,
  revokeSignIn,
  type SignInSettings,
  startDeviceSignIn,
} from '../sign-in/identity-provider.ts';
import {
  findSignIn,
  removeSignIn,
  type StoredSignIn,
  signInPath,
  storeSignIn,
} from '../sign-in/stored-sign-ins.ts';

const DEFAULT_SCOPE = 'openid offline_access';

interface LoginOptions {
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
  readonly send?: 'id' | 'access' | undefined;
}

/** Returns what the user signs in with: the options, else what was used at this API before. @throws CliError if neither says */
function signInSettings(options: LoginOptions, before: StoredSignIn | null): SignInSettings {
  const issuer = options.issuer ?? before?.issuer;
  const client_id = options.clientId ?? before?.client_id;
  if (issuer === undefined || client_id === undefined)
    throw new CliError(CLI_EXIT_CODES.usage, 'no_issuer', 'No issuer to sign in at.', {
      hint: 'Give --issuer and --client-id; the operator of the deployment knows them (docs/how-to/sign-in.md).',
    });
  if (!URL.canParse(issuer) || !(issuer.startsWith('https://') || isLoopbackUrl(issuer)))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_option',
      `--issuer ${toOneLine(issuer)} is not an https:// address.`,
    );
  return {
    issuer,
    client_id,
    scope: options.scope ?? before?.scope ?? DEFAULT_SCOPE,
    send: options.send ?? before?.send ?? 'id',
  };
}

async function signIn(
  discovery: Discovery,
  settings: SignInSettings,
  isDevice: boolean,
  session: ServerCommandSession,
): Promise<StoredSignIn> {
  const { signal, release } = abortOnSignals();
  try {
    if (!isDevice)
      return await signInWithBrowser(
        discovery,
        settings,
        (address) => {
          session.note(`Sign in with the browser, or open ${address}`);
          openInBrowser(address, session);
        },
        signal,
      );
    const device = await startDeviceSignIn(discovery, settings);
    const address = toOneLine(device.verification_uri_complete ?? device.verification_uri);
    session.note(`Open ${address} on any device, and enter ${toOneLine(device.user_code)}`);
    return await awaitDeviceSignIn(discovery, settings, device, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    release();
  }
}

/** `login` and `logout`: sign in at the identity provider of a deployment. */
export const loginCommands = [
  defineServerCommand({
    name: 'login',
    options: {
      issuer: defineOption('--issuer <url>', 'issuer of the tokens (default: the one used before)'),
      clientId: defineOption('--client-id <id>', 'client that is registered for the command line there'),
      scope: defineOption('--scope <scopes>', `what to ask for (default: ${DEFAULT_SCOPE})`),
      send: defineOption('--send <kind>', 'which token the API gets (default: id)', {
        choices: ['id', 'access'],
      }),
      device: defineOption('--device', 'sign in on another device: for machines without a browser'),
    },
    json: '`--json` prints `{"url", "issuer", "subject", "expires_at"}`, and never the token.',
    examples: [
      [
        'login --url https://assay.example --issuer https://idp.example --client-id assay-cli',
        'the first time',
      ],
      ['login --device', 'again, at ASSAY_URL, on a machine without a browser'],
    ],
    run: async (session, { device, ...options }) => {
      const { url } = session.connection();
      const before = findSignIn(url, session.io);
      const settings = signInSettings(options, before);
      const discovery = await discover(settings.issuer);
      const isSame =
        before !== null && before.issuer === settings.issuer && before.client_id === settings.client_id;
      const refreshed =
        isSame && before.send === settings.send ? await refreshSignIn(discovery, before) : null;
      const made = refreshed ?? (await signIn(discovery, settings, device === true, session));
      storeSignIn(url, made, session.io);
      const { decodeJwt } = await import('jose');
      const subject = decodeJwt(made.token).sub ?? null;
      const { issuer, expires_at } = made;
      session.show({ url, issuer, subject, expires_at }, () => ({
        text: `Signed in at ${url} as ${toOneLine(subject ?? 'unknown')} until ${expires_at}`,
        note: `The token is in ${signInPath(session.io)}; commands with this address use it.`,
      }));
      return undefined;
    },
  }),
  defineServerCommand({
    name: 'logout',
    options: {},
    json: '`--json` prints `{"url", "signed_out": boolean}`.',
    examples: [['logout --url https://assay.example', 'removes the token from this machine']],
    run: async (session) => {
      const { url } = session.connection();
      const removed = removeSignIn(url, session.io);
      // The token is gone from here, whatever the issuer says.
      if (removed !== null)
        await discover(removed.issuer)
          .then((discovery) => revokeSignIn(discovery, removed))
          .catch((error: unknown) =>
            session.note(
              `The issuer was not told: ${error instanceof Error ? error.message : String(error)}`,
            ),
          );
      session.show({ url, signed_out: removed !== null }, () =>
        removed === null ? `You are not signed in at ${url}` : `Signed out at ${url}`,
      );
      return undefined;
    },
  }),
];
