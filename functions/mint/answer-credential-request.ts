import type {
  CredentialRequest,
  CredentialResponse,
} from '../../shared/contract/messages/credential-messages.ts';
import { GitCredentialsSecret, GitCredentialsSource } from '../../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import {
  type MintCredentialContext,
  mintCredential,
} from '../../shared/use-cases/containers/mint-credential.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import { readParsedSecret } from '../runtime/secrets.ts';
import { createInstallationToken } from './github-app.ts';

const place = GitCredentialsSource.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.gitSecret)));
const context: MintCredentialContext = {
  tasks: new TaskStore(openTable()),
  secret: () => readParsedSecret('repositories', GitCredentialsSecret, place),
  installationToken: (app, repository, access) => createInstallationToken(app, repository, access),
};

/** What is due to whoever asks; what was asked and what came of it is logged, and nothing of a token. */
export async function answerCredentialRequest(request: CredentialRequest): Promise<CredentialResponse> {
  const made = await mintCredential(request, context);
  const { task_id, repository, access } = request;
  if (made.outcome === 'refused')
    logger.error('no credential', { task_id, repository, access, reason: made.message });
  else logger.info('credential', { task_id, repository, access, outcome: made.outcome });
  return made;
}
