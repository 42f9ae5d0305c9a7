import type { EngineCredentials } from '../engine-credentials.ts';
import { LOCAL_REGION } from '../template/identity.ts';
import type { QueueSpec } from './engine-worker.ts';

/** Settings for clients of an external emulator, which ignores them. */
const CLIENT = { region: LOCAL_REGION } as const;

/**
 * Creates the queues of the template in an external engine. Dead-letter queues come first, because others
 * refer to them.
 */
export async function createQueues(
  endpoint: string,
  queues: readonly QueueSpec[],
  credentials: EngineCredentials,
): Promise<void> {
  const { CreateQueueCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient({ ...CLIENT, credentials, endpoint });
  const refers = ({ attributes }: QueueSpec): number => ('RedrivePolicy' in attributes ? 1 : 0);
  for (const { name, attributes } of queues.toSorted((a, b) => refers(a) - refers(b))) {
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes } }));
  }
  client.destroy();
}

/** Creates the buckets of the template in an external engine. */
export async function createBuckets(
  endpoint: string,
  buckets: readonly string[],
  credentials: EngineCredentials,
): Promise<void> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...CLIENT, credentials, endpoint, forcePathStyle: true });
  for (const bucket of buckets) {
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'BucketAlreadyOwnedByYou')) throw error;
    });
  }
  client.destroy();
}
