import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
import { parseRepositoryUrl } from '../../shared/contract/repository/repository-url.ts';
import { type ForgeClient, ForgeError } from '../../shared/control/forge/forge.ts';
import type { ForgeCredential, ForgeSetting } from '../../shared/control/forge/forge-settings.ts';
import { reportToForge } from '../../shared/use-cases/deliver/report-to-forge.ts';
import { createInstallationToken } from '../mint/github-app.ts';
import { readForgeSettings } from '../runtime/config.ts';
import { readForgeSecret } from '../runtime/forge-secret.ts';
import { withFailureLog } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { createStores } from '../runtime/stores.ts';
import { createForgeRequester } from './forge-http.ts';
import { createGitHubForge } from './github.ts';
import { createGitLabForge } from './gitlab.ts';

/** What we say needs of an App, and nothing more. */
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

/** A connection to the forge of one repository, with a token for it alone where there is an App. @throws ForgeError */
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

const TaskEvent = z.object({ task_id: z.string() });
const { tasks } = createStores();
const context = {
  tasks,
  objects: createObjectStore(),
  settings: readForgeSettings(),
  secret: readForgeSecret,
  connect: connectForge,
};

/** Has the forge of a task say how it stands. An error that is thrown is tried again, and ends as a dead letter. */
export const handler = withFailureLog(
  async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
    const { task_id } = TaskEvent.parse(detail);
    await reportToForge(task_id, {
      ...context,
      onError: (reason) => logger.error('not told', { task_id, reason }),
    });
  },
);
