import type { MintAnswer, MintRequest } from '../../shared/contract/messages/mint.ts';
import { ENV } from '../../shared/contract/names.ts';
import { GitSecret, GitSecretPlace } from '../../shared/contract/repository/git-secret.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { type MintContext, mint } from '../../shared/use-cases/containers/mint.ts';
import { stores } from '../runtime/dynamodb.ts';
import { logger } from '../runtime/logger.ts';
import { secretFor } from '../runtime/secret.ts';
import { installationToken } from './github.ts';

const place = GitSecretPlace.parse(JSON.parse(requireEnv(ENV.gitSecret)));
const context: MintContext = {
  tasks: stores().tasks,
  secret: () => secretFor('repositories', GitSecret, place),
  installationToken: (app, repository, access) => installationToken(app, repository, access),
};

/** What is due to whoever asks; what was asked and what came of it is logged, and nothing of a token. */
export async function answer(request: MintRequest): Promise<MintAnswer> {
  const made = await mint(request, context);
  const { task_id, repository, access } = request;
  if (made.outcome === 'refused')
    logger.error('no credential', { task_id, repository, access, reason: made.message });
  else logger.info('credential', { task_id, repository, access, outcome: made.outcome });
  return made;
}
