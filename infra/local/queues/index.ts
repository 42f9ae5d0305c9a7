import { join } from 'node:path';
import { startEngine } from '../engine.ts';
import type { Counters, ResolvedResource, Running } from '../ports.ts';
import { type Properties, propertiesOf } from '../properties.ts';
import type { QueueSpec, QueuesEngineData, RequestCount } from './engine-worker.ts';

export interface QueuesOptions {
  readonly dataDir: string;
  readonly resources: readonly ResolvedResource[];
  readonly counters: Counters;
  readonly port?: number;
  onFailure(error: Error): void;
}

/** SQS and S3, at one endpoint. */
export interface Queues extends Running {
  readonly endpoint: string;
  /** Directory in which a bucket's objects are plain files under their keys. */
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

function queueSpec(queue: Properties): QueueSpec {
  const attributes: Record<string, string> = {};
  for (const name of ATTRIBUTES) if (queue.has(name)) attributes[name] = String(queue.values[name]);
  if (queue.has('RedrivePolicy')) attributes['RedrivePolicy'] = JSON.stringify(queue.values['RedrivePolicy']);
  return { name: queue.text('QueueName'), attributes };
}

/** Starts SQS and S3 with the queues and buckets of the template. What was there before a kill is there again. */
export async function startQueues(options: QueuesOptions): Promise<Queues> {
  const { counters, dataDir, resources } = options;
  const ofType = (type: string) => resources.filter((resource) => resource.type === type).map(propertiesOf);
  const objectDirectory = join(dataDir, 's3');
  const data: QueuesEngineData = {
    queueDirectory: join(dataDir, 'sqs'),
    objectDirectory,
    queues: ofType('AWS::SQS::Queue').map(queueSpec),
    buckets: ofType('AWS::S3::Bucket').map((bucket) => bucket.text('BucketName')),
    port: options.port ?? 0,
  };
  const engine = await startEngine({
    name: 'SQS and S3',
    script: new URL('./engine-worker.ts', import.meta.url),
    data,
    env: {},
    onFailure: options.onFailure,
    onMessage: (message) => {
      const { service, operation } = message as RequestCount;
      counters.add(service, operation);
    },
  });
  return { ...engine, bucketDirectory: (bucket) => join(objectDirectory, bucket) };
}
