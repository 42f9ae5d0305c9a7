import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { ForgeKind } from '../../shared/control/forge/forge-settings.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { MergedWorkStore } from '../../shared/store/merged-work.ts';
import { PullRequestStore } from '../../shared/store/pull-requests.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import {
  type ForgeEventContext,
  handleForgeEvent,
} from '../../shared/use-cases/deliver/handle-forge-event.ts';
import { readAvailableAgents, readForgeSettings } from '../runtime/config.ts';
import { readForgeSecret } from '../runtime/forge-secret.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import { readPullRequestRepositoryPrefixes, readPushCredentialScopes } from '../runtime/repository-scopes.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiRequestContext } from './route-request.ts';

const items = openTable();
const tasks = new TaskStore(items);
const landed = new MergedWorkStore(items);
const pullRequests = new PullRequestStore(items);
const context = (): ForgeEventContext => ({
  tasks,
  mergedWork: landed,
  pullRequests,
  now: new Date(),
  allowFileRepositories: readOptionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true',
  pushScopes: readPushCredentialScopes(),
  pullRequestScopes: readPullRequestRepositoryPrefixes(),
  agents: readAvailableAgents(),
  settings: readForgeSettings(),
  secret: readForgeSecret,
  connect: async (...of) => (await import('../forge/connect-forge.ts')).connectForge(...of),
});

async function receiveEvent(
  forge: ForgeKind,
  { headers, rawBody }: ApiRequestContext,
): Promise<{ body: ForgeEventResult }> {
  const body = await handleForgeEvent(forge, headers, rawBody, context());
  logger.info('heard', { forge, ...body });
  return { body };
}

export const handler = createApiHandler('api-webhook', {
  receiveGitHubEvent: (request) => receiveEvent('github', request),
  receiveGitLabEvent: (request) => receiveEvent('gitlab', request),
});
