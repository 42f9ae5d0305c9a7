import { createHash, randomUUID } from 'node:crypto';
import type { TableSpec } from '../dynamodb/tables.ts';
import type { ChangeRecord } from '../dynamodb/write-ahead-log/index.ts';
import type { EngineCredentials } from '../engine-credentials.ts';
import type { AwsJsonClient } from '../http/aws-json.ts';
import { functionArn, parseFunctionName } from '../lambda/function-spec.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import type { StreamMapping } from './event-source-mapping.ts';
import type { DiscardReason } from './record-queue.ts';
import { formatStreamSequenceNumber, toStreamEventRecord } from './stream-event.ts';

const SHARD = 'shardId-00000000000000000000-00000000';

export interface FailureDestinationOptions {
  readonly table: TableSpec;
  readonly sqs: AwsJsonClient;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly credentials: EngineCredentials;
}

/**
 * Sends a batch to its on-failure destination: to a queue the position of its records, to a bucket also the
 * records.
 */
export async function sendToFailureDestination(
  mapping: StreamMapping,
  destination: string,
  batch: readonly ChangeRecord[],
  how: { readonly reason: DiscardReason; readonly attempts: number },
  { table, sqs, sqsEndpoint, s3Endpoint, credentials }: FailureDestinationOptions,
): Promise<void> {
  const now = new Date();
  const message = failureMessage(mapping, batch, how, now);
  const [, , service, , , name = ''] = destination.split(':');
  if (service === 'sqs') {
    const QueueUrl = `${sqsEndpoint}/${LOCAL_ACCOUNT_ID}/${name}`;
    await sqs.callOrThrow('SendMessage', { QueueUrl, MessageBody: JSON.stringify(message) });
    return;
  }
  if (service !== 's3') throw new Error(`what was given up cannot be sent to ${destination}`);
  const payload = JSON.stringify({ Records: batch.map((record) => toStreamEventRecord(record, table)) });
  const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    region: LOCAL_REGION,
    credentials,
    endpoint: s3Endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  try {
    await client.send(
      new PutObjectCommand({
        Bucket: name,
        Key: objectKeyOf(mapping.id, now),
        Body: JSON.stringify({ ...message, payload }),
        ContentType: 'application/json',
      }),
    );
  } finally {
    client.destroy();
  }
}

/** Builds the object key as Lambda does: mapping, shard, day, second and a random id. */
function objectKeyOf(mapping: string, now: Date): string {
  const uuid = createHash('md5')
    .update(mapping)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const second = now.toISOString().slice(0, 19).replaceAll(':', '.');
  return `aws/lambda/${uuid}/${SHARD}/${second.slice(0, 10).replaceAll('-', '/')}/${second}-${randomUUID()}`;
}

function failureMessage(
  mapping: StreamMapping,
  batch: readonly ChangeRecord[],
  { reason, attempts }: { readonly reason: DiscardReason; readonly attempts: number },
  now: Date,
): Record<string, unknown> {
  const times = batch.map(({ at }) => new Date(at).toISOString());
  const sequences = batch.map(({ sequence }) => formatStreamSequenceNumber(sequence));
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: functionArn(parseFunctionName(mapping.functionName)),
      condition: reason,
      approximateInvokeCount: attempts,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    version: '1.0',
    timestamp: now.toISOString(),
    DDBStreamBatchInfo: {
      shardId: SHARD,
      startSequenceNumber: sequences[0],
      endSequenceNumber: sequences.at(-1),
      approximateArrivalOfFirstRecord: times[0],
      approximateArrivalOfLastRecord: times.at(-1),
      batchSize: batch.length,
      streamArn: mapping.sourceArn,
    },
  };
}
