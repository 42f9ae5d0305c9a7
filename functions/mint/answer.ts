import type { MintAnswer, MintRequest } from '../../shared/messages/mint.ts';
import { ENV } from '../../shared/names.ts';
import { GitSecret, GitSecretPlace } from '../../shared/repository/git-secret.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { type MintContext, mint } from '../../shared/use-cases/mint.ts';
import { stores } from '../kit/dynamodb.ts';
import { logger } from '../kit/logger.ts';
import { secretFor } from '../kit/secret.ts';
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
