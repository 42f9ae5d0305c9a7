import { createPrivateKey, createSign } from 'node:crypto';
import * as z from 'zod';
import type {
  CredentialRequest,
  CredentialResponse,
} from '../../shared/contract/messages/credential-messages.ts';
import type { GitHubAppCredential } from '../../shared/contract/repository/git-secret.ts';

type MintRefusal = Extract<CredentialResponse, { outcome: 'refused' }>;

const TIMEOUT_MS = 10_000;
const MAX_CHARACTERS = 1_048_576;
/** GitHub takes a JWT for at most ten minutes, and clocks differ. */
const SKEW_SECONDS = 60;
const VALID_SECONDS = 300;

/** What we need of what GitHub answers. */
const Answer = z.object({
  token: z.string().regex(/^[\x21-\x7e]+$/),
  permissions: z.record(z.string(), z.string()).default({}),
  repositories: z.array(z.object({ name: z.string() })).optional(),
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Says who the App is, signed with its key. @throws Error when the key is none. */
export function signGitHubAppToken(
  { app_id, private_key }: GitHubAppCredential['github_app'],
  now: Date,
): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const claims = { iat: seconds - SKEW_SECONDS, exp: seconds + VALID_SECONDS, iss: app_id };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(createPrivateKey(private_key));
  return `${signed}.${signature.toString('base64url')}`;
}

const apiOf = ({ url, github_app: { api_url } }: GitHubAppCredential): string => {
  const { host } = new URL(url);
  return api_url ?? (host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`);
};

/** Name of the repository without its owner: an installation belongs to one. Null where the URL is none of GitHub's. */
function nameOf(repository: string): string | null {
  const [, owner, name, ...more] = new URL(repository).pathname.replace(/\/$/, '').split('/');
  const plain = name?.replace(/\.git$/, '');
  return owner && plain && more.length === 0 ? plain : null;
}

const mintRefusal = (message: string, transient = false): MintRefusal => ({
  outcome: 'refused',
  message,
  transient,
});

/** What an answer without a token means, in words that tell what to do. */
function refusalOf(status: number, name: string): MintRefusal {
  if (status === 401) return mintRefusal('GitHub does not know the App by this id and key');
  if (status === 404) return mintRefusal('GitHub knows no such installation of the App');
  if (status === 422)
    return mintRefusal(`the App is not installed on ${name}, or has not the permissions that are asked for`);
  return mintRefusal(`GitHub answers ${status}`, status === 403 || status === 429 || status >= 500);
}

/**
 * A token of the App's installation for one repository, good for an hour: for its contents alone, or for what is named. GitHub itself limits it, and what
 * it says that it has made is looked at.
 */
export async function createInstallationToken(
  app: GitHubAppCredential,
  repository: string,
  wanted: CredentialRequest['access'] | Readonly<Record<string, 'read' | 'write'>>,
  now = new Date(),
): Promise<{ readonly token: string } | MintRefusal> {
  const asked: Readonly<Record<string, string>> = typeof wanted === 'string' ? { contents: wanted } : wanted;
  const name = nameOf(repository);
  if (name === null)
    return mintRefusal(`${repository} is no repository of GitHub: it has an owner and a name`);
  const { installation_id } = app.github_app;
  let jwt: string;
  try {
    jwt = signGitHubAppToken(app.github_app, now);
  } catch {
    return mintRefusal('the private key of the App cannot be read');
  }
  let status: number;
  let text: string;
  try {
    const answer = await fetch(`${apiOf(app)}/app/installations/${installation_id}/access_tokens`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${jwt}`,
        'content-type': 'application/json',
        'user-agent': 'assay',
        'x-github-api-version': '2022-11-28',
      },
      body: JSON.stringify({ repositories: [name], permissions: asked }),
    });
    status = answer.status;
    text = (await answer.text()).slice(0, MAX_CHARACTERS);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return mintRefusal(
      `GitHub cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
      true,
    );
  }
  if (status !== 201) return refusalOf(status, name);
  const made = Answer.safeParse(parsed(text));
  if (!made.success) return mintRefusal('GitHub has not answered with a token', true);
  const { token, permissions, repositories } = made.data;
  const more = Object.entries(permissions).filter(
    ([what, level]) =>
      !(Object.hasOwn(asked, what) && asked[what] === level) && !(what === 'metadata' && level === 'read'),
  );
  if (more.length > 0)
    return mintRefusal(
      `GitHub has given more than was asked for: ${more.map((each) => each.join(': ')).join(', ')}`,
    );
  if (repositories?.some((each) => each.name.toLowerCase() !== name.toLowerCase()))
    return mintRefusal('GitHub has given a token for other repositories');
  return { token };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
