import { setTimeout as pause } from 'node:timers/promises';
import {
  CascadeRepositoryStepInput,
  CascadeStepResult,
} from '../../shared/contract/messages/step-messages.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { DEFAULT_TOOLCHAIN_IMAGE } from '../../shared/contract/submission/toolchain-image.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import type { ResolveBaseContext } from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { runRepositoryStep } from '../../shared/use-cases/deliver/repository-step.ts';
import { createRepositoryCredentialProvider } from '../runtime/credential-provider.ts';
import { readTaskDefinitionFamilies } from '../runtime/image-families.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { openTable } from '../runtime/open-table.ts';
import { createHttpExchange } from './http-exchange.ts';
import { readLocalRefs, sendRequestToLocalGitProcess } from './local-git.ts';
import { createRemoteFilesReader } from './read-remote-files.ts';
import { createHttpGitTransport, createRemoteRefsReader } from './smart-http.ts';

const embedded = readOptionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true';
const asking = createHttpExchange({ allowPrivateAddress: embedded });
const [refsOverHttp, filesOverHttp] = [
  createRemoteRefsReader(asking),
  createRemoteFilesReader(createHttpGitTransport(asking)),
];
const filesHere = createRemoteFilesReader(sendRequestToLocalGitProcess);
const isHere = (repository: string): boolean => embedded && !repository.startsWith('https:');

const items = openTable();
const tasks = new TaskStore(items);
const deadlines = new DeadlineStore(items);
const context: ResolveBaseContext = {
  tasks,
  deadlines,
  now: () => new Date(),
  readRefs: (repository, ref, authorization) =>
    (isHere(repository) ? readLocalRefs : refsOverHttp)(repository, ref, authorization),
  readFiles: (repository, commit, paths, authorization) =>
    (isHere(repository) ? filesHere : filesOverHttp)(repository, commit, paths, authorization),
  getCredential: createRepositoryCredentialProvider(),
  images: embedded ? undefined : [DEFAULT_TOOLCHAIN_IMAGE, ...Object.keys(readTaskDefinitionFamilies())],
  sleep: pause,
};

/** The steps of the cascade that ask the repository: what the base ref stands for, and what became of a push. */
export const handler = withErrorLogging(
  async (event: unknown): Promise<CascadeStepResult> =>
    CascadeStepResult.parse(await runRepositoryStep(CascadeRepositoryStepInput.parse(event), context)),
);
