import { mkdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { LOOPBACK_ADDRESS } from '../../shared/lib/loopback-listener.ts';
import { type EngineCredentials, hasSecretKey } from '../engine-credentials.ts';
import type { EngineMessage } from '../engine-thread.ts';
import { listenOnPreferredPort } from '../http/listen.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import { checkQueueDatabase } from './database-check.ts';
import { enableFairQueues, preserveMessageGroups } from './fair-queues.ts';
import { type FauxqsApp, openFauxqs, type S3Store, type SqsPersistence, type SqsStore } from './fauxqs.ts';
import { s3OperationName, sqsOperationName } from './operation-names.ts';
import { ObjectFiles } from './s3/object-files.ts';
import { addS3RequestChecks, isS3Request } from './s3/request-checks.ts';

/** A queue of the template with its SQS attributes. */
export interface QueueSpec {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The thread of fauxqs. */
export interface QueueEngineWorkerData {
  readonly queueDirectory: string;
  readonly objectDirectory: string;
  readonly queues: readonly QueueSpec[];
  readonly buckets: readonly string[];
  readonly credentials: EngineCredentials;
  /** Preferred port. */
  readonly port: number;
}

/** A message to the operator that needs no action. */
export interface OperatorNoticeMessage {
  readonly notice: string;
}

/** One request, for the counters. */
export interface CountedRequest {
  readonly service: 'SQS' | 'S3';
  readonly operation: string;
}

/** Largest request body in bytes. The largest presigned upload is 20 MiB. */
const MAX_BODY_BYTES = 64 * 1_048_576;

/** Content type of the JSON protocol of SQS. */
const SQS_TYPE = 'application/x-amz-json-1.0';

const data = workerData as QueueEngineWorkerData;
const post = (message: EngineMessage): void => parentPort?.postMessage(message);

/** Opens the queues. Messages that were in flight when the stack was killed become visible at once. */
function openQueues(store: SqsStore, persistence: SqsPersistence, port: number): void {
  persistence.updateMessageReady = (messageId) => {
    persistence.db
      .prepare(
        'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
      )
      .run(messageId);
  };
  store.persistence = persistence;
  for (const queue of store.allQueues()) {
    queue.persistence = persistence;
    for (const handle of [...queue.inflightMessages.keys()]) queue.changeVisibility(handle, 0);
  }
  for (const { name, attributes } of data.queues) {
    const url = `http://${LOOPBACK_ADDRESS}:${port}/${LOCAL_ACCOUNT_ID}/${name}`;
    const existing = store.getQueueByName(name);
    if (existing === undefined) {
      store.createQueue(name, url, `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${name}`, attributes);
    } else {
      existing.setAttributes({ RedrivePolicy: '', ...attributes });
    }
  }
}

function openBuckets(store: S3Store): void {
  const files = new ObjectFiles(data.objectDirectory, (notice) => post({ message: { notice } }));
  for (const bucket of data.buckets) {
    store.createBucket(bucket);
    files.insertBucket(bucket);
    files.load(store, bucket);
  }
  store.persistence = files;
}

/** Makes the bodies of S3 requests buffers, whatever their content type. */
function takeBytes(app: FauxqsApp): void {
  const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
  for (const type of ['*', 'application/x-www-form-urlencoded', SQS_TYPE]) app.removeContentTypeParser(type);
  app.addContentTypeParser('*', options, async (_request, body) => body);
  app.addContentTypeParser(SQS_TYPE, options, async (request, body) =>
    isS3Request(request) ? body : JSON.parse(body.toString('utf8')),
  );
}

function countRequests(app: FauxqsApp): void {
  app.addHook('onRequest', async (request) => {
    const { method, originalUrl, headers } = request;
    const count: CountedRequest = isS3Request(request)
      ? { service: 'S3', operation: s3OperationName(method, originalUrl, headers) }
      : { service: 'SQS', operation: sqsOperationName(headers['x-amz-target']) };
    post({ message: count });
  });
}

/** The hooks of S3 verify the signature of each of its requests, also of a presigned one. */
const isAuthenticated = (request: IncomingMessage): boolean =>
  isS3Request({ method: request.method ?? '', originalUrl: request.url ?? '' }) ||
  hasSecretKey(request, data.credentials);

function unreadable(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(
    `the queues in ${data.queueDirectory} cannot be read: ${reason}. Nothing was changed. Bring the files there back from a copy; or ` +
      'remove them to go on without the messages: what they were for is found by the reconciler within minutes.',
  );
}

mkdirSync(data.queueDirectory, { recursive: true });
try {
  checkQueueDatabase(data.queueDirectory);
} catch (error) {
  unreadable(error);
}
const { app, sqs, s3, decodeChunked, persistence } = await openFauxqs(
  data.queueDirectory,
  LOCAL_REGION,
).catch(unreadable);
openBuckets(s3);
takeBytes(app);
countRequests(app);
addS3RequestChecks(app, {
  store: s3,
  signatures: { credentials: data.credentials, region: LOCAL_REGION },
  decodeChunked,
  mostBytes: MAX_BODY_BYTES,
});
preserveMessageGroups(app);
await app.ready();
const listener = await listenOnPreferredPort({ servesPages: false, isAuthenticated }, app.routing, data.port);
openQueues(sqs, persistence, listener.port);
enableFairQueues(sqs);
post({ port: listener.port });
parentPort?.on('message', () => {
  void Promise.all([listener.stop(), app.close()]).then(() => {
    persistence.close();
    parentPort?.close();
  });
});
