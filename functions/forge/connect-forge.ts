import { parseRepositoryUrl } from '../../shared/contract/repository/repository-url.ts';
import { type ForgeClient, ForgeError } from '../../shared/control/forge/forge.ts';
import type { ForgeCredential, ForgeSetting } from '../../shared/control/forge/forge-settings.ts';
import { createInstallationToken } from '../mint/github-app.ts';
import { createForgeRequester } from './forge-http.ts';
import { createGitHubForge } from './github.ts';
import { createGitLabForge } from './gitlab.ts';

/** Permissions of the App's token: those that reports need. */
const PERMISSIONS = { checks: 'write', issues: 'write', pull_requests: 'write' } as const;

function apiOf({ forge, api_url, url }: ForgeSetting): string {
  if (api_url !== undefined) return api_url;
  const { host } = new URL(url);
  if (forge === 'gitlab') return `https://${host}/api/v4`;
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

/** Path of a repository without `.git`. */
function pathOf(repository: string): string {
  const read = parseRepositoryUrl(repository);
  if ('error' in read) throw new ForgeError('the repository has no path at a forge', null, false);
  return read.segments.join('/').replace(/\.git$/, '');
}

async function tokenOf(
  setting: ForgeSetting,
  credential: ForgeCredential,
  repository: string,
): Promise<string> {
  if (!('github_app' in credential)) return credential.token;
  const { url, github_app: app } = credential;
  const api_url = app.api_url ?? apiOf(setting);
  const made = await createInstallationToken(
    { url, github_app: { ...app, api_url } },
    repository,
    PERMISSIONS,
  );
  if ('token' in made) return made.token;
  throw new ForgeError(made.message, null, made.transient);
}

/** Connects to the forge of one repository, with a token for that repository alone if the forge has an App. @throws ForgeError */
export async function connectForge(
  setting: ForgeSetting,
  credential: ForgeCredential,
  repository: string,
): Promise<ForgeClient> {
  const token = await tokenOf(setting, credential, repository);
  const api = apiOf(setting);
  const authorization = `Bearer ${token}`;
  if (setting.forge === 'gitlab')
    return createGitLabForge(createForgeRequester(api, { authorization }), pathOf(repository));
  const headers = {
    accept: 'application/vnd.github+json',
    authorization,
    'x-github-api-version': '2022-11-28',
  };
  return createGitHubForge(
    createForgeRequester(api, headers),
    pathOf(repository),
    'github_app' in credential,
  );
}
