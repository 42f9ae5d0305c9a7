import { ENV } from '../../shared/contract/names.ts';
import type { ForgeKind } from '../../shared/control/forge/schema.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { type Heard, type HookContext, hearForge } from '../../shared/use-cases/deliver/forge-hook.ts';
import { deployedAgents, forgeSettings } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { forgeSecret } from '../runtime/forge-secret.ts';
import { logger } from '../runtime/logger.ts';
import { deliverTo, pullRequestsFor } from '../runtime/places.ts';
import type { Asked } from './request.ts';
import { serve } from './serve.ts';

const { tasks, landed } = stores();
const context = (): HookContext => ({
  tasks,
  landed,
  now: new Date(),
  allowFileRepositories: optionalEnv(ENV.allowFileRepositories, 'false') === 'true',
  deliverTo: deliverTo(),
  forges: pullRequestsFor(),
  agents: deployedAgents(),
  settings: forgeSettings(),
  secret: forgeSecret,
});

async function heard(forge: ForgeKind, { headers, raw }: Asked): Promise<{ body: Heard }> {
  const body = await hearForge(forge, headers, raw, context());
  logger.info('heard', { forge, ...body });
  return { body };
}

export const handler = serve('api-hook', {
  hearGitHub: (request) => heard('github', request),
  hearGitLab: (request) => heard('gitlab', request),
});
