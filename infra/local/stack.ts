import { totalmem } from 'node:os';
import { join } from 'node:path';
import { createCloudWatch } from './cloudwatch/index.ts';
import { createControl } from './control.ts';
import { createCounters } from './counters.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { startDynamo } from './dynamodb/index.ts';
import { createEcs } from './ecs/index.ts';
import { startEventSources } from './event-sources/index.ts';
import { createEventBus } from './events/index.ts';
import { createFaults } from './faults.ts';
import { listenLate } from './http/late.ts';
import { createHttpApi } from './http-api/index.ts';
import { functionSpecs } from './lambda/function-spec.ts';
import { createLambdaHost } from './lambda/host.ts';
import { operatorToken } from './operator-token.ts';
import type { ResolvedResource, Running } from './ports.ts';
import { startQueues } from './queues/index.ts';
import { createStates } from './states/index.ts';
import { type AssemblyStack, readAssembly } from './template/assets.ts';
import { ACCOUNT_ID, REGION } from './template/identity.ts';
import { namedResources, resolveTemplate } from './template.ts';

export interface StackOptions {
  readonly dataDir: string;
  /** Directory of the cloud assembly. */
  readonly assembly: string;
  /** Directory for what can be made again, such as compiled code. */
  readonly cache: string;
  /** Port of the API; any, or that of the last time, when it is not given. */
  readonly port?: number | undefined;
  /** Takes what functions and boxes print. */
  onLog(line: string): void;
  /** Takes what went wrong without ending the stack. */
  onError(message: string): void;
  /** Called when a part has died without which nothing can go on. */
  onFailure(error: Error): void;
}

/** The whole of Assay on this machine. */
export interface LocalStack extends Running {
  readonly url: string;
  readonly token: string;
  readonly controlUrl: string;
  readonly recordsDir: string;
}

/** How long a drain waits for the streams to come to rest, in milliseconds. */
const DRAIN_MS = 30_000;
/** How long invocations that are under way may take to end when the stack stops, in milliseconds. */
const GRACE_MS = 1_500;
/** Memory in bytes that one box is reckoned with, and the most boxes at a time. */
const BOX_BYTES = 256 * 1_048_576;
const MOST_BOXES = 64;

/** Starts everything that the template describes, and goes on with what an earlier process left in the directory. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const directory = openDataDirectory(options.dataDir);
  const started: Running[] = [];
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
  started: Running[],
): Promise<LocalStack> {
  const { onLog, onFailure } = options;
  let stopping = false;
  const onError = (message: string): void => {
    // What ends with the stack has not gone wrong.
    if (!stopping) options.onError(message);
  };
  const counters = createCounters();
  const faults = createFaults();
  const named = namedResources(assembly);
  const begin = async <T extends Running>(part: Promise<T>): Promise<T> => {
    const running = await part;
    started.push(running);
    return running;
  };
  const { ports, path: dataDir } = directory;
  const [dynamo, queues, api, control] = await allOrNone([
    begin(startDynamo({ dataDir, resources: named, counters, port: ports.dynamodb, onFailure, onError })),
    begin(startQueues({ dataDir, resources: named, counters, port: ports.queues, onFailure })),
    begin(listenLate(options.port, ports.api)),
    begin(listenLate(undefined, ports.control)),
  ]);
  const queuesPort = Number(new URL(queues.endpoint).port);
  directory.rememberPorts({
    api: api.port,
    control: control.port,
    dynamodb: dynamo.port,
    queues: queuesPort,
  });

  const places = { sqsEndpoint: queues.endpoint, apiEndpoint: api.url };
  const resources = resolveTemplate(assembly, places);
  const cloudWatch = createCloudWatch({ resources });
  const lambda = createLambdaHost({
    functions: functionSpecs(resources, assembly.assets),
    endpoints: {
      DYNAMODB: dynamo.endpoint,
      SQS: queues.endpoint,
      S3: queues.endpoint,
      SFN: control.url,
      ECS: control.url,
    },
    counters,
    compileCache: join(options.cache, 'compiled'),
    onLog: (name, line) => {
      cloudWatch.ingest(line);
      onLog(`${name}: ${line}`);
    },
  });
  const place = { region: REGION, accountId: ACCOUNT_ID };
  const sqsEndpoint = queues.endpoint;
  const bus = createEventBus({ resources, lambda, onError });
  const states = createStates({ ...place, resources, lambda, sqsEndpoint, counters });
  const ecs = createEcs({
    ...place,
    resources,
    imageDirectory: (uri) => assembly.assets.image(uri),
    dataDir,
    counters,
    faults,
    bus,
    env: {},
    capacity: Math.min(MOST_BOXES, Math.max(4, Math.floor(totalmem() / BOX_BYTES))),
    onLog,
  });
  const sources = startEventSources({ resources, dynamo, sqsEndpoint, lambda, faults, onError });
  control.serve(
    createControl({
      counters,
      faults,
      states,
      ecs,
      alarms: () => cloudWatch.alarms(),
      fireSchedules: (more) => bus.fireSchedules(more),
      drain: () => sources.drain(DRAIN_MS),
    }),
  );
  const token = await operatorToken(directory, dynamo);
  api.serve(createHttpApi({ resources, lambda, counters, onError }));
  // What a killed stack left behind is found by the schedules, so they do not wait for their time. No box and no execution has
  // outlived it, so none is given the grace of one that may be just about to start.
  void Promise.all([lambda.warmUp(), bus.fireSchedules({ grace_seconds: 0 })]);

  return {
    url: api.url,
    token,
    controlUrl: control.url,
    recordsDir: join(queues.bucketDirectory(recordsBucket(resources)), 'records'),
    async stop() {
      stopping = true;
      await api.stop();
      const ending = [sources.stop(), bus.stop(), ecs.stop(), states.stop()];
      await Promise.race([Promise.all(ending), delay(GRACE_MS)]);
      await lambda.stop();
      await Promise.all(ending);
      await control.stop();
      await Promise.all([dynamo.stop(), queues.stop()]);
      directory.release();
    },
  };
}

/** Waits for all, also when one fails, so that what has started can be stopped. */
async function allOrNone<T extends readonly unknown[]>(
  parts: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(parts);
  return (await Promise.all(parts)) as unknown as T;
}

const delay = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

/** The bucket of the template. Throws unless there is exactly one. */
function recordsBucket(resources: readonly ResolvedResource[]): string {
  const [bucket, ...others] = resources.filter(({ type }) => type === 'AWS::S3::Bucket');
  if (bucket === undefined || others.length > 0) throw new Error('the template must have exactly one bucket');
  return String(bucket.properties['BucketName']);
}
