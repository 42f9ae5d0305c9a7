import { mkdirSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { createCloudWatch } from './cloudwatch/index.ts';
import { containerEnvironment, trustedCaEnvironment } from './container-environment.ts';
import { createControlPlaneHandler } from './control-endpoint.ts';
import type { Dynamo } from './dynamodb/index.ts';
import { createEcs } from './ecs/index.ts';
import { STACK_ID_VARIABLE } from './ecs/orphaned-processes.ts';
import type { EngineCredentials } from './engine-credentials.ts';
import type { FunctionEnvironmentPassthrough } from './env-passthrough.ts';
import { startEventSources } from './event-sources/index.ts';
import { createEventBus } from './events/index.ts';
import { createInjectedFaults } from './fault-injection.ts';
import { createAwsJsonClient } from './http/aws-json.ts';
import type { DeferredListener } from './http/listen.ts';
import { createHttpApi } from './http-api/index.ts';
import { readFunctionSpecs } from './lambda/function-spec.ts';
import { createFunctionUrlHandler } from './lambda/function-url.ts';
import { createLambdaHost } from './lambda/host.ts';
import { createInvokeHandler } from './lambda/invoke-api.ts';
import type { LocalSqsAndS3 } from './queues/index.ts';
import type { OperationCounters, ResolvedResource, Stoppable } from './shared-types.ts';
import { createStepFunctions } from './step-functions/index.ts';
import type { AssetLocator } from './template/assets.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from './template/identity.ts';

export interface LocalServicesOptions {
  readonly resources: readonly ResolvedResource[];
  readonly assets: AssetLocator;
  readonly dynamo: Dynamo;
  readonly queues: LocalSqsAndS3;
  readonly credentials: EngineCredentials;
  /** Will serve Step Functions, ECS, EventBridge and the control endpoint. */
  readonly control: DeferredListener;
  readonly counters: OperationCounters;
  readonly dataDir: string;
  /** Id of the data directory, by which its containers are found after a kill. */
  readonly stackId: string;
  readonly cache: string;
  readonly passthrough: FunctionEnvironmentPassthrough;
  onLog(line: string): void;
  onError(message: string): void;
}

/**
 * The services on top of the engines: functions, state machines, containers, events, and the mappings between
 * them.
 */
export interface LocalServices extends Stoppable {
  /** Serves the HTTP API. */
  readonly api: RequestListener;
  /** Serves the function that has a URL. */
  readonly functionUrl: RequestListener;
}

/** Milliseconds that a drain waits for the streams to be empty. */
const DRAIN_MS = 30_000;
/** Milliseconds that running invocations may take to end when the stack stops. */
const GRACE_MS = 1_500;
/** Memory in bytes that one container counts for, and the most containers at a time. */
const CONTAINER_BYTES = 256 * 1_048_576;
const MAX_CONTAINERS = 64;

/** Starts the services. @throws Error that names the resource or property that a service does not support. */
export function startLocalServices(options: LocalServicesOptions): LocalServices {
  const { resources, assets, dynamo, queues, control, counters, credentials, dataDir, onLog, onError } =
    options;
  const faults = createInjectedFaults();
  const cloudWatch = createCloudWatch({
    resources,
    onAlarm: ({ name, description, state, reason }) =>
      bus.put({
        source: 'aws.cloudwatch',
        'detail-type': 'CloudWatch Alarm State Change',
        detail: { alarmName: name, state: { value: state, reason }, configuration: { description } },
      }),
  });
  const lambda = createLambdaHost({
    functions: readFunctionSpecs(resources, assets),
    endpoints: {
      DYNAMODB: dynamo.endpoint,
      SQS: queues.sqsEndpoint,
      S3: queues.s3Endpoint,
      SFN: control.url,
      ECS: control.url,
      EVENTBRIDGE: control.url,
      LAMBDA: control.url,
    },
    credentials,
    counters,
    scratch: functionScratch(dataDir),
    compileCache: join(options.cache, 'compiled'),
    passthrough: { ...options.passthrough, [FUNCTION_ENV_NAMES.deliverySecret]: trustedCaEnvironment() },
    onLog: (name, line) => {
      cloudWatch.ingest(line);
      onLog(`${name}: ${line}`);
    },
  });
  const place = { region: LOCAL_REGION, accountId: LOCAL_ACCOUNT_ID };
  const { sqsEndpoint } = queues;
  const sqs = createAwsJsonClient(sqsEndpoint, 'AmazonSQS', credentials);
  const bus = createEventBus({
    resources,
    lambda,
    counters,
    onError,
    sendMessage: async (arn, MessageBody) => {
      const QueueUrl = `${sqsEndpoint}/${LOCAL_ACCOUNT_ID}/${arn.split(':').at(-1)}`;
      await sqs.callOrThrow('SendMessage', { QueueUrl, MessageBody });
    },
  });
  const states = createStepFunctions({
    ...place,
    resources,
    lambda,
    sqsEndpoint,
    credentials,
    counters,
    onLog,
  });
  const ecs = createEcs({
    ...place,
    resources,
    imageDirectory: (uri) => assets.image(uri),
    dataDir,
    counters,
    faults,
    bus,
    environmentFor: (container) => ({
      [STACK_ID_VARIABLE]: options.stackId,
      ...containerEnvironment(container),
    }),
    canStartWarm: true,
    capacity: Math.min(MAX_CONTAINERS, Math.max(4, Math.floor(totalmem() / CONTAINER_BYTES))),
    onLog,
    onError,
  });
  const api = createHttpApi({ resources, lambda, counters, dataDir, onError });
  const functionUrl = createFunctionUrlHandler({ resources, lambda, onError });
  const sources = startEventSources({
    resources,
    dynamo,
    sqsEndpoint,
    s3Endpoint: queues.s3Endpoint,
    credentials,
    lambda,
    faults,
    onError,
  });
  control.serve(
    createControlPlaneHandler({
      counters,
      faults,
      states,
      ecs,
      events: bus,
      invoke: createInvokeHandler({ resources, lambda, counters, bus, onError }),
      alarms: () => cloudWatch.alarms(),
      fireSchedules: (more) => bus.fireSchedules(more),
      drain: () => sources.drain(DRAIN_MS),
    }),
  );
  // The scheduled functions find what a killed stack left unfinished, so they run at once. No container and
  // no execution has survived it, so none gets the grace period of one that may be about to start.
  void bus.fireSchedules({ grace_seconds: 0 });
  return {
    api,
    functionUrl,
    async stop() {
      const ending = Promise.all([sources.stop(), bus.stop(), ecs.stop(), states.stop()]);
      await Promise.race([ending, delay(GRACE_MS)]);
      await lambda.stop();
      await ending;
      sqs.close();
    },
  };
}

/** Creates the empty folder for the temporary files of functions. */
function functionScratch(dataDir: string): string {
  const folder = join(dataDir, 'lambda-scratch');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const delay = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
