import { join } from 'node:path';
import type { EngineCredentials } from '../engine-credentials.ts';
import {
  createEngineOfThread,
  createExternalEngine,
  type LocalAwsEngine,
  startEngineThread,
} from '../engine-thread.ts';
import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { OperationCounters, ResolvedResource, Stoppable } from '../shared-types.ts';
import type {
  CountedRequest,
  OperatorNoticeMessage,
  QueueEngineWorkerData,
  QueueSpec,
} from './engine-worker.ts';
import { createBuckets, createQueues } from './external-engine.ts';

export interface LocalSqsAndS3Options {
  readonly dataDir: string;
  readonly resources: readonly ResolvedResource[];
  readonly counters: OperationCounters;
  /** What clients must sign with. */
  readonly credentials: EngineCredentials;
  readonly port?: number;
  /** Endpoints of other engines, to be used in place of the embedded one. */
  readonly engines?: { readonly SQS?: string | undefined; readonly S3?: string | undefined };
  onFailure(error: Error): void;
  onError?(message: string): void;
}

/** SQS and S3, which the embedded engine serves at one endpoint. */
export interface LocalSqsAndS3 extends Stoppable {
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  /**
   * Directory in which a bucket's objects are plain files under their keys; `s3://<bucket>` when S3 is
   * elsewhere.
   */
  bucketDirectory(bucket: string): string;
}

/** Properties of a queue that are SQS attributes of the same name. */
const ATTRIBUTES = [
  'VisibilityTimeout',
  'DelaySeconds',
  'MessageRetentionPeriod',
  'MaximumMessageSize',
  'ReceiveMessageWaitTimeSeconds',
  'FifoQueue',
  'ContentBasedDeduplication',
] as const;

function queueSpec(queue: PropertyReader): QueueSpec {
  const attributes: Record<string, string> = {};
  for (const name of ATTRIBUTES) if (queue.has(name)) attributes[name] = String(queue.values[name]);
  if (queue.has('RedrivePolicy')) attributes['RedrivePolicy'] = JSON.stringify(queue.values['RedrivePolicy']);
  return { name: queue.text('QueueName'), attributes };
}

/**
 * Starts SQS and S3 with the queues and buckets of the template, and the messages and objects in the data
 * directory.
 */
export async function startLocalSqsAndS3(options: LocalSqsAndS3Options): Promise<LocalSqsAndS3> {
  const { resources, credentials, engines = {} } = options;
  const ofType = (type: string) =>
    resources.filter((resource) => resource.type === type).map(createResourcePropertyReader);
  const queues = ofType('AWS::SQS::Queue').map(queueSpec);
  const buckets = ofType('AWS::S3::Bucket').map((bucket) => bucket.text('BucketName'));
  const objectDirectory = join(options.dataDir, 's3');
  const { SQS, S3 } = engines;
  if (SQS !== undefined) await createQueues(SQS, queues, credentials);
  if (S3 !== undefined) await createBuckets(S3, buckets, credentials);
  const embedded =
    SQS !== undefined && S3 !== undefined
      ? null
      : await startFauxqs(options, {
          queueDirectory: join(options.dataDir, 'sqs'),
          objectDirectory,
          queues: SQS === undefined ? queues : [],
          buckets: S3 === undefined ? buckets : [],
          port: options.port ?? 0,
          credentials,
        });
  const endpoint = (engine: string | undefined): string =>
    (engine === undefined ? embedded : createExternalEngine(engine))?.endpoint ?? '';
  return {
    sqsEndpoint: endpoint(SQS),
    s3Endpoint: endpoint(S3),
    bucketDirectory: (bucket) => (S3 === undefined ? join(objectDirectory, bucket) : `s3://${bucket}`),
    stop: async () => embedded?.stop(),
  };
}

const startFauxqs = async (
  options: LocalSqsAndS3Options,
  data: QueueEngineWorkerData,
): Promise<LocalAwsEngine> =>
  createEngineOfThread(
    await startEngineThread({
      name: 'SQS and S3',
      script: new URL('./engine-worker.ts', import.meta.url),
      data,
      env: {},
      onFailure: options.onFailure,
      onMessage: (message) => {
        const told = message as CountedRequest | OperatorNoticeMessage;
        if ('notice' in told) options.onError?.(told.notice);
        else options.counters.add(told.service, told.operation);
      },
    }),
  );
