import { FUNCTION_ENV_NAMES } from '../../shared/contract/names.ts';
import type { ForgeKind } from '../../shared/control/forge/schema.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { type ForgeEventResult, type ForgeEventContext, handleForgeEvent } from '../../shared/use-cases/deliver/forge-hook.ts';
import { readDeployedAgents, readForgeSettings } from '../runtime/config.ts';
import { createStores } from '../runtime/dynamodb.ts';
import { readForgeSecret } from '../runtime/forge-secret.ts';
import { logger } from '../runtime/logger.ts';
import { pushScopes, pullRequestScopes } from '../runtime/places.ts';
import type { RequestContext } from './request.ts';
import { createApiHandler } from './serve.ts';

const { tasks, mergedWork: landed } = createStores();
const context = (): ForgeEventContext => ({
  tasks,
  mergedWork: landed,
  now: new Date(),
  allowFileRepositories: optionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true',
  pushScopes: pushScopes(),
  pullRequestScopes: pullRequestScopes(),
  agents: readDeployedAgents(),
  settings: readForgeSettings(),
  secret: readForgeSecret,
});

async function receiveEvent(forge: ForgeKind, { headers, rawBody }: RequestContext): Promise<{ body: ForgeEventResult }> {
  const body = await handleForgeEvent(forge, headers, rawBody, context());
  logger.info('heard', { forge, ...body });
  return { body };
}

export const handler = createApiHandler('api-hook', {
  hearGitHub: (request) => receiveEvent('github', request),
  hearGitLab: (request) => receiveEvent('gitlab', request),
});
