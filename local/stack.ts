import { isAuthenticationLeftToHandler, type LoopbackAccessRule } from '../shared/lib/loopback-listener.ts';
import { createOperationCounters } from './counters.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { startDynamo } from './dynamodb/index.ts';
import { killOrphanedProcesses } from './ecs/orphaned-processes.ts';
import { getContainerScratchFolder } from './ecs/task-runner.ts';
import { createEngineAccessRule, type EngineCredentials } from './engine-credentials.ts';
import type { FunctionEnvironmentPassthrough } from './env-passthrough.ts';
import { listenDeferred, sendStorageFull } from './http/listen.ts';
import { ensureOperatorToken } from './operator-token.ts';
import { startLocalSqsAndS3 } from './queues/index.ts';
import type { ResolvedResource, Stoppable } from './shared-types.ts';
import { type AssemblyStack, readAssembly } from './template/assets.ts';
import { resolveResourceNames, resolveTemplate } from './template.ts';

export interface StackOptions {
  readonly dataDir: string;
  /** Directory of the cloud assembly. */
  readonly assembly: string;
  /** Directory for files that can be recreated, such as compiled code. */
  readonly cache: string;
  /** Port of the API. @default - that of the last start if it is free, else any. */
  readonly port?: number | undefined;

  readonly passthrough?: FunctionEnvironmentPassthrough;
  /** Endpoints of external engines that replace the embedded ones. */
  readonly engines?: ExternalEngineEndpoints;
  /** Receives each line that functions and containers print. */
  onLog(line: string): void;
  /** Receives errors that do not end the stack. */
  onError(message: string): void;
  /** Called when a part has died that the stack cannot run without. */
  onFailure(error: Error): void;
}

export interface ExternalEngineEndpoints {
  readonly DYNAMODB?: string | undefined;
  readonly SQS?: string | undefined;
  readonly S3?: string | undefined;
}

/** Assay, running on this machine. */
export interface LocalStack extends Stoppable {
  readonly url: string;
  readonly token: string;
  readonly controlUrl: string;
  /** For clients of the table. */
  readonly dynamodbUrl: string;
  readonly table: string;
  readonly credentials: EngineCredentials;
  readonly recordsDir: string;
  /** Answers every request of the API that has no answer yet, and those that follow, with `storage_full`. */
  refuseRequests(): void;
}

/** The API checks an operator token with each request; the page is served there. */
const API_RULE: LoopbackAccessRule = { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler };
/** The model gateway checks the token of an attempt with each request. */
const FUNCTION_URL_RULE: LoopbackAccessRule = {
  servesPages: false,
  isAuthenticated: isAuthenticationLeftToHandler,
};

/** Starts everything that the template describes, and continues from the state in the data directory. */
export async function startLocalStack(options: StackOptions): Promise<LocalStack> {
  const directory = openDataDirectory(options.dataDir);
  const started: Stoppable[] = [];
  try {
    return await startIn(directory, readAssembly(options.assembly), options, started);
  } catch (error) {
    for (const part of started.toReversed()) await part.stop();
    directory.release();
    throw error;
  }
}

async function startIn(
  directory: DataDirectory,
  assembly: AssemblyStack,
  options: StackOptions,
  started: Stoppable[],
): Promise<LocalStack> {
  const { onFailure, engines = {} } = options;
  let stopping = false;
  const onError = (message: string): void => {
    // Parts that end while the stack stops report no error.
    if (!stopping) options.onError(message);
  };
  const counters = createOperationCounters();
  const named = resolveResourceNames(assembly);
  const begin = async <T extends Stoppable>(part: Promise<T>): Promise<T> => {
    const running = await part;
    started.push(running);
    return running;
  };
  const { ports, credentials, path: dataDir } = directory;
  const common = { dataDir, resources: named, counters, credentials, onFailure };
  const engineRule = createEngineAccessRule(credentials);
  const [dynamo, queues, api, control, functionUrl, { startLocalServices }] = await allOrNone([
    begin(startDynamo({ ...common, port: ports.dynamodb, engine: engines.DYNAMODB, onError })),
    begin(startLocalSqsAndS3({ ...common, port: ports.queues, engines, onError })),
    begin(listenDeferred(API_RULE, options.port, ports.api)),
    begin(listenDeferred(engineRule, undefined, ports.control)),
    begin(listenDeferred(FUNCTION_URL_RULE, undefined, ports.functionUrl)),
    // Loaded while the engines start in their own threads.
    import('./services.ts'),
    killOrphans(directory, onError),
  ]);
  const queuesPort = Number(new URL(queues.sqsEndpoint).port);
  directory.rememberPorts({
    api: api.port,
    control: control.port,
    dynamodb: dynamo.port,
    queues: queuesPort,
    functionUrl: functionUrl.port,
  });

  const resources = resolveTemplate(assembly, {
    sqsEndpoint: queues.sqsEndpoint,
    apiEndpoint: api.url,
    functionUrl: functionUrl.url,
  });
  const { cache, onLog } = options;
  const [token, services] = await Promise.all([
    ensureOperatorToken(directory, dynamo, onError),
    startLocalServices({
      resources,
      assets: assembly.assets,
      dynamo,
      queues,
      credentials,
      control,
      counters,
      dataDir,
      stackId: directory.id,
      cache,
      passthrough: options.passthrough ?? {},
      onLog,
      onError,
    }),
  ]);
  api.serve(services.api);
  functionUrl.serve(services.functionUrl);

  return {
    url: api.url,
    token,
    controlUrl: control.url,
    dynamodbUrl: dynamo.endpoint,
    table: dynamo.tables[0]?.name ?? '',
    credentials,
    recordsDir: `${queues.bucketDirectory(recordsBucket(resources))}/records`,
    refuseRequests: () => api.refuseAll((response) => sendStorageFull(response, dataDir)),
    async stop() {
      stopping = true;
      await Promise.all([api.stop(), functionUrl.stop()]);
      await services.stop();
      await control.stop();
      await Promise.all([dynamo.stop(), queues.stop()]);
      directory.release();
    },
  };
}

/** Kills what an earlier stack on this directory left running, before anything is started in its place. */
async function killOrphans({ id, path }: DataDirectory, onError: (message: string) => void): Promise<void> {
  const ended = await killOrphanedProcesses({ stackId: id, scratch: getContainerScratchFolder(path) });
  if (ended > 0) onError(`${path}: killed ${ended} processes that an earlier stack had left running`);
}

/** Waits for all parts, also when one fails, so that those that have started can be stopped. */
async function allOrNone<T extends readonly unknown[]>(
  parts: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(parts);
  return (await Promise.all(parts)) as unknown as T;
}

/** Returns the name of the template's bucket. @throws Error unless there is exactly one. */
function recordsBucket(resources: readonly ResolvedResource[]): string {
  const [bucket, ...others] = resources.filter(({ type }) => type === 'AWS::S3::Bucket');
  if (bucket === undefined || others.length > 0) throw new Error('the template must have exactly one bucket');
  return String(bucket.properties['BucketName']);
}
