import { type MintAnswer, MintRequest } from '../../shared/messages/mint.ts';
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

/** The one function that reads the secret for repositories. It is asked by the dispatcher and the resolver alone. */
export const handler = async (event: unknown): Promise<MintAnswer> => {
  const request = MintRequest.parse(event);
  const answer = await mint(request, context);
  const { task_id, repository, access } = request;
  if (answer.outcome === 'refused')
    logger.error('no credential', { task_id, repository, access, reason: answer.message });
  else logger.info('credential', { task_id, repository, access, outcome: answer.outcome });
  return answer;
};
