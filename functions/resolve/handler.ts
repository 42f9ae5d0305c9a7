import { setTimeout as pause } from 'node:timers/promises';
import { CascadeResult, RepositoryStep } from '../../shared/messages/queue.ts';
import { ENV } from '../../shared/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import type { BaseContext } from '../../shared/use-cases/base.ts';
import { repositoryStep } from '../../shared/use-cases/repository-step.ts';
import { stores } from '../kit/dynamodb.ts';
import { exchange } from './exchange.ts';
import { localGit } from './local-git.ts';
import { smartHttp } from './smart-http.ts';

const embedded = optionalEnv(ENV.allowFileRepositories, 'false') === 'true';
const overHttp = smartHttp(exchange({ allowPrivate: embedded }));

const context: BaseContext = {
  tasks: stores().tasks,
  now: () => new Date(),
  remote: (repository, ref, authorization) =>
    (embedded && !repository.startsWith('https:') ? localGit : overHttp)(repository, ref, authorization),
  pause,
};

/** The steps of the cascade that ask the repository: what the base ref stands for, and what became of a push. */
export const handler = async (event: unknown): Promise<CascadeResult> =>
  CascadeResult.parse(await repositoryStep(RepositoryStep.parse(event), context));
