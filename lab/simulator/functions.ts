import './environment.ts';
import { CascadeResult, RepositoryStep } from '../../shared/contract/messages/queue.ts';
import { documentClient } from '../../shared/store/clients.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { UNAUTHORIZED } from '../../shared/store/minter.ts';
import { TaskStore } from '../../shared/store/tasks.ts';
import type { BaseContext, RemoteFiles, RemoteRefs } from '../../shared/use-cases/cascade/base.ts';
import { repositoryStep } from '../../shared/use-cases/deliver/repository-step.ts';

/** A handler as Lambda calls it. */
export type Handler = (event: unknown, context: unknown) => Promise<unknown>;
interface Deployed {
  readonly handler: Handler;
  /** Time limit, as infra/ sets it. */
  readonly seconds: number;
}

let remote: RemoteRefs | null = null;
let files: RemoteFiles | null = null;
let pause: BaseContext['pause'] = async () => {};
/** Which repository the resolver asks from now on, and how it waits. */
export function useRemote(refs: RemoteRefs, reads: RemoteFiles, waits: BaseContext['pause']): void {
  remote = refs;
  files = reads;
  pause = waits;
}

const load = async (path: string): Promise<Handler> =>
  ((await import(`../../functions/${path}.ts`)) as { handler: Handler }).handler;

const db = documentClient();
/** The resolver's use case, as its handler calls it: that one speaks HTTP with the repository, and there is no HTTP here. */
const resolve: Handler = async (event) => {
  if (!remote || !files) throw new Error('there is no repository');
  return CascadeResult.parse(
    await repositoryStep(RepositoryStep.parse(event), {
      tasks: new TaskStore(db, 'tasks'),
      deadlines: new DeadlineStore(db, 'tasks'),
      now: () => new Date(),
      remote,
      authorize: UNAUTHORIZED,
      files,
      pause: (ms) => pause(ms),
    }),
  );
};

/** The functions of the control plane: the modules that are deployed. */
export const FUNCTIONS = {
  authorizer: { handler: await load('api/authorizer'), seconds: 10 },
  'api-submit': { handler: await load('api/submit'), seconds: 20 },
  'api-work': { handler: await load('api/work'), seconds: 20 },
  'api-upload': { handler: await load('api/upload'), seconds: 20 },
  'api-evidence': { handler: await load('api/evidence'), seconds: 20 },
  'api-read': { handler: await load('api/read'), seconds: 20 },
  'api-hook': { handler: await load('api/hook'), seconds: 20 },
  conductor: { handler: await load('conductor/handler'), seconds: 60 },
  ledger: { handler: await load('ledger/handler'), seconds: 60 },
  resolver: { handler: resolve, seconds: 60 },
  cascade: { handler: await load('cascade/handler'), seconds: 30 },
  janitor: { handler: await load('janitor/handler'), seconds: 30 },
  judge: { handler: await load('judge/handler'), seconds: 110 },
  dispatch: { handler: await load('dispatch/handler'), seconds: 30 },
  reconcile: { handler: await load('reconcile/handler'), seconds: 50 },
} as const satisfies Record<string, Deployed>;
export type FunctionName = keyof typeof FUNCTIONS;
