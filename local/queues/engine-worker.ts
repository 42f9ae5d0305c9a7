import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromEngine } from '../engine.ts';
import { keepConnections, LOOPBACK, portOf } from '../http/listen.ts';
import { ACCOUNT_ID, REGION } from '../template/identity.ts';
import { refusePut } from './conditional-put.ts';
import { type App, openFauxqs, type S3Store, type SqsPersistence, type SqsStore } from './fauxqs.ts';
import { ObjectFiles } from './object-files.ts';
import { s3Operation, sqsOperation } from './operations.ts';

/** A queue of the template with its SQS attributes. */
export interface QueueSpec {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The thread of fauxqs. */
export interface QueuesEngineData {
  readonly queueDirectory: string;
  readonly objectDirectory: string;
  readonly queues: readonly QueueSpec[];
  readonly buckets: readonly string[];
  /** Tried first. */
  readonly port: number;
}

/** One request, for the counters. */
export interface RequestCount {
  readonly service: 'SQS' | 'S3';
  readonly operation: string;
}

/** Largest body of a request in bytes; the largest presigned upload is 20 MiB. */
const MAX_BODY_BYTES = 64 * 1_048_576;

const data = workerData as QueuesEngineData;
const post = (message: FromEngine): void => parentPort?.postMessage(message);

/** Messages that were in work when the stack was killed are in work no longer, so they are visible again at once. */
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
    const url = `http://${LOOPBACK}:${port}/${ACCOUNT_ID}/${name}`;
    const existing = store.getQueueByName(name);
    if (existing === undefined) {
      store.createQueue(name, url, `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${name}`, attributes);
    } else {
      existing.setAttributes({ RedrivePolicy: '', ...attributes });
    }
  }
}

function openBuckets(store: S3Store): void {
  const files = new ObjectFiles(data.objectDirectory);
  for (const bucket of data.buckets) {
    store.createBucket(bucket);
    files.insertBucket(bucket);
    files.load(store, bucket);
  }
  store.persistence = files;
}

function addHooks(app: App, store: S3Store): void {
  app.removeContentTypeParser('*');
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, url, headers } = request.raw;
    const sqs = sqsOperation(headers['x-amz-target']);
    const count: RequestCount =
      sqs === null
        ? { service: 'S3', operation: s3Operation(method ?? '', url ?? '/', headers) }
        : { service: 'SQS', operation: sqs };
    post({ message: count });
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    const { bucket, '*': key } = (request.params ?? {}) as { bucket?: string; '*'?: string };
    const refused =
      request.method === 'PUT' && bucket && key ? refusePut(store, bucket, key, request.headers) : null;
    if (refused === null) done();
    else void reply.status(refused.status).header('content-type', 'application/xml').send(refused.body);
  });
}

async function listen(app: App): Promise<number> {
  await app.ready();
  keepConnections(app.server);
  try {
    await app.listen({ port: data.port, host: LOOPBACK });
  } catch (error) {
    if (data.port === 0) throw error;
    await app.listen({ port: 0, host: LOOPBACK });
  }
  return portOf(app.server);
}

mkdirSync(data.queueDirectory, { recursive: true });
const { app, sqs, s3, persistence } = await openFauxqs(data.queueDirectory, REGION);
openBuckets(s3);
addHooks(app, s3);
const port = await listen(app);
openQueues(sqs, persistence, port);
post({ port });
parentPort?.on('message', () => {
  void app.close().then(() => {
    persistence.close();
    parentPort?.close();
  });
});
