import { setTimeout as pause } from 'node:timers/promises';
import { CascadeResult, RepositoryStep } from '../../shared/contract/messages/queue.ts';
import { ENV } from '../../shared/contract/names.ts';
import { DEFAULT_IMAGE } from '../../shared/contract/submission/image.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import type { BaseContext } from '../../shared/use-cases/cascade/base.ts';
import { repositoryStep } from '../../shared/use-cases/deliver/repository-step.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { imageFamilies } from '../runtime/images.ts';
import { authorizer } from '../runtime/minter.ts';
import { exchange } from './exchange.ts';
import { localGit, localTransport } from './local-git.ts';
import { readFiles } from './read-files.ts';
import { overHttp, smartHttp } from './smart-http.ts';

const embedded = optionalEnv(ENV.allowFileRepositories, 'false') === 'true';
const asking = exchange({ allowPrivate: embedded });
const [refsOverHttp, filesOverHttp] = [smartHttp(asking), readFiles(overHttp(asking))];
const filesHere = readFiles(localTransport);
const isHere = (repository: string): boolean => embedded && !repository.startsWith('https:');

const { tasks, deadlines } = stores();
const context: BaseContext = {
  tasks,
  deadlines,
  now: () => new Date(),
  remote: (repository, ref, authorization) =>
    (isHere(repository) ? localGit : refsOverHttp)(repository, ref, authorization),
  files: (repository, commit, paths, authorization) =>
    (isHere(repository) ? filesHere : filesOverHttp)(repository, commit, paths, authorization),
  authorize: authorizer(),
  images: embedded ? undefined : [DEFAULT_IMAGE, ...Object.keys(imageFamilies())],
  pause,
};

/** The steps of the cascade that ask the repository: what the base ref stands for, and what became of a push. */
export const handler = heard(
  async (event: unknown): Promise<CascadeResult> =>
    CascadeResult.parse(await repositoryStep(RepositoryStep.parse(event), context)),
);
