import { setTimeout as pause } from 'node:timers/promises';
import { CascadeInput, CascadeResult } from '../../shared/messages/queue.ts';
import { ENV } from '../../shared/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { type BaseContext, resolveBaseStep } from '../../shared/use-cases/base.ts';
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

/** The first step of the cascade: asks the repository what the base ref stands for, where that is not known yet. */
export const handler = async (event: unknown): Promise<CascadeResult> => {
  const { task_id, run } = CascadeInput.parse(event);
  return CascadeResult.parse(await resolveBaseStep(task_id, run, context));
};
