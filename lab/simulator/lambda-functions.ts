import './simulated-environment.ts';
import {
  CascadeRepositoryStepInput,
  CascadeStepResult,
} from '../../shared/contract/messages/step-messages.ts';
import { provideNoCredentials } from '../../shared/store/credential-provider.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { createDocumentClient } from '../../shared/store/document-client.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import type {
  RemoteFilesReader,
  RemoteRefsReader,
  ResolveBaseContext,
} from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { runRepositoryStep } from '../../shared/use-cases/deliver/repository-step.ts';

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;
interface Deployed {
  readonly handler: LambdaHandler;
  /** Time limit, as infra/ sets it. */
  readonly seconds: number;
}

let remote: RemoteRefsReader | null = null;
let files: RemoteFilesReader | null = null;
let pause: ResolveBaseContext['sleep'] = async () => {};
/** Which repository the resolver asks from now on, and how it waits. */
export function setResolverRemote(
  refs: RemoteRefsReader,
  reads: RemoteFilesReader,
  waits: ResolveBaseContext['sleep'],
): void {
  remote = refs;
  files = reads;
  pause = waits;
}

const load = async (path: string): Promise<LambdaHandler> =>
  ((await import(`../../functions/${path}.ts`)) as { handler: LambdaHandler }).handler;

const db = createDocumentClient();
/** The resolver's use case, as its handler calls it: that one speaks HTTP with the repository, and there is no HTTP here. */
const resolve: LambdaHandler = async (event) => {
  if (!remote || !files) throw new Error('there is no repository');
  return CascadeStepResult.parse(
    await runRepositoryStep(CascadeRepositoryStepInput.parse(event), {
      tasks: new TaskStore(new ItemTable(db, 'tasks')),
      deadlines: new DeadlineStore(new ItemTable(db, 'tasks')),
      now: () => new Date(),
      readRefs: remote,
      getCredential: provideNoCredentials,
      readFiles: files,
      sleep: (ms) => pause(ms),
    }),
  );
};

/** The functions of the control plane: the modules that are deployed. */
export const LAMBDA_FUNCTIONS = {
  authorizer: { handler: await load('api/authorizer'), seconds: 10 },
  'api-submit': { handler: await load('api/write-api'), seconds: 20 },
  'api-work': { handler: await load('api/work-api'), seconds: 20 },
  'api-upload': { handler: await load('api/upload-api'), seconds: 20 },
  'api-evidence': { handler: await load('api/evidence-api'), seconds: 20 },
  'api-read': { handler: await load('api/read-api'), seconds: 20 },
  'api-webhook': { handler: await load('api/webhook-api'), seconds: 20 },
  conductor: { handler: await load('conductor/handler'), seconds: 60 },
  ledger: { handler: await load('ledger/handler'), seconds: 60 },
  resolver: { handler: resolve, seconds: 60 },
  cascade: { handler: await load('cascade/handler'), seconds: 30 },
  janitor: { handler: await load('janitor/handler'), seconds: 30 },
  judge: { handler: await load('judge/handler'), seconds: 110 },
  dispatch: { handler: await load('dispatch/handler'), seconds: 30 },
  reconcile: { handler: await load('reconcile/handler'), seconds: 50 },
} as const satisfies Record<string, Deployed>;
export type LambdaFunctionName = keyof typeof LAMBDA_FUNCTIONS;
