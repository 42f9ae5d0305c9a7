import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { openWriteAheadLog } from '../../../local/dynamodb/write-ahead-log/index.ts';
import { type EventSources, startEventSources } from '../../../local/event-sources/index.ts';
import { createInjectedFaults } from '../../../local/fault-injection.ts';
import { type AwsJsonClient, createAwsJsonClient } from '../../../local/http/aws-json.ts';
import { type LocalSqsAndS3, startLocalSqsAndS3 } from '../../../local/queues/index.ts';
import type { InvokeResult, ResolvedResource } from '../../../local/shared-types.ts';
import { CREDENTIALS, resource, temporaryDirectory } from '../support/resources.ts';

const NAMES = ['Batch', 'Retry', 'Poison', 'Error', 'Invalid', 'Filtered', 'Twice', 'Again', 'Parallel'];
const arn = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`;

interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Record<string, string>;
}

const directory = temporaryDirectory();
const faults = createInjectedFaults();
let queues: LocalSqsAndS3;
let sqs: AwsJsonClient;
const sources: EventSources[] = [];
const log = openWriteAheadLog(`${directory.path}/dynamodb`);

beforeAll(async () => {
  queues = await startLocalSqsAndS3({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: NAMES.flatMap((name) => [
      resource(name, 'AWS::SQS::Queue', {
        QueueName: name,
        VisibilityTimeout: 1,
        RedrivePolicy: { deadLetterTargetArn: arn(`${name}Dead`), maxReceiveCount: 2 },
      }),
      resource(`${name}Dead`, 'AWS::SQS::Queue', { QueueName: `${name}Dead` }),
    ]),
    counters: createOperationCounters(),
    onFailure: (error) => {
      throw error;
    },
  });
  sqs = createAwsJsonClient(queues.sqsEndpoint, 'AmazonSQS', CREDENTIALS);
});
afterAll(async () => {
  await Promise.all(sources.map((source) => source.stop()));
  sqs.close();
  await log.close();
  await queues.stop();
  directory.remove();
});

const QueueUrl = (name: string): string => `${queues.sqsEndpoint}/000000000000/${name}`;
const sendAll = (name: string, bodies: readonly string[]) =>
  sqs.callOrThrow('SendMessageBatch', {
    QueueUrl: QueueUrl(name),
    Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
  });
const left = async (name: string): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  const { Attributes } = await sqs.callOrThrow('GetQueueAttributes', {
    QueueUrl: QueueUrl(name),
    AttributeNames,
  });
  return Object.values(Attributes as Record<string, string>).reduce((sum, count) => sum + Number(count), 0);
};

const eventually = (value: () => number | Promise<number>, expected: number): Promise<void> =>
  vi.waitFor(async () => expect(await value()).toBe(expected), 8000);

/** Reads a queue with a handler, and collects what it gets. */
function read(
  name: string,
  handler: (records: readonly QueueRecord[]) => unknown,
  properties: Record<string, unknown> = {},
): { readonly batches: (readonly QueueRecord[])[]; readonly errors: string[] } {
  const batches: (readonly QueueRecord[])[] = [];
  const errors: string[] = [];
  const mapping: ResolvedResource = resource('Mapping', 'AWS::Lambda::EventSourceMapping', {
    EventSourceArn: arn(name),
    FunctionName: 'reader',
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ...properties,
  });
  const source = startEventSources({
    credentials: CREDENTIALS,
    resources: [mapping],
    dynamo: { log, tables: [] },
    s3Endpoint: 'http://127.0.0.1:9',
    sqsEndpoint: queues.sqsEndpoint,
    lambda: {
      async invoke(_name, payload): Promise<InvokeResult> {
        const { Records } = payload as { Records: readonly QueueRecord[] };
        batches.push(Records);
        try {
          return { payload: (await handler(Records)) ?? null };
        } catch (error) {
          return { payload: null, error: { errorType: 'Error', errorMessage: String(error) } };
        }
      },
    },
    faults,
    onError: (message) => errors.push(message),
  });
  sources.push(source);
  return { batches, errors };
}

const failing = (records: readonly QueueRecord[], bodies: readonly string[]) => ({
  batchItemFailures: records
    .filter(({ body }) => bodies.includes(body))
    .map(({ messageId }) => ({ itemIdentifier: messageId })),
});

test('messages come in batches, look as SQS events do, and are deleted when they are handled', async () => {
  await sendAll('Batch', ['one', 'two', 'three']);
  const { batches } = read('Batch', () => null);
  await eventually(() => left('Batch'), 0);
  expect(batches).toHaveLength(1);
  expect(batches[0]).toMatchObject(
    ['one', 'two', 'three'].map((body) => ({
      body,
      eventSource: 'aws:sqs',
      eventSourceARN: arn('Batch'),
      attributes: { ApproximateReceiveCount: '1' },
    })),
  );
  await sendAll('Batch', ['four']);
  await eventually(() => batches.length, 2);
});

test.concurrent('only the messages that are reported as failed come again', async () => {
  await sendAll('Retry', ['good', 'bad']);
  const { batches } = read('Retry', (records) => (batches.length === 1 ? failing(records, ['bad']) : null));
  await eventually(() => batches.length, 2);
  expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([['good', 'bad'], ['bad']]);
  await eventually(() => left('Retry'), 0);
});

test.concurrent('a message that fails too often ends in the dead-letter queue', async () => {
  await sendAll('Poison', ['poison']);
  const { batches } = read('Poison', (records) => failing(records, ['poison']));
  await eventually(() => left('PoisonDead'), 1);
  expect(batches).toHaveLength(2);
});

test.concurrent.each([
  ['an error', 'Error', () => Promise.reject(new Error('down'))],
  [
    'an answer that names a message that is not in the batch',
    'Invalid',
    () => ({ batchItemFailures: [{ itemIdentifier: 'somebody else' }] }),
  ],
])('after %s the whole batch comes again', async (_what, queue, handler) => {
  await sendAll(queue, ['a', 'b']);
  const { batches } = read(queue, () => (batches.length === 1 ? handler() : null));
  await eventually(() => batches.flat().length, 4);
  await eventually(() => left(queue), 0);
  const again = batches.slice(1).flatMap((batch) => batch.map(({ body }) => body));
  expect(new Set(again)).toEqual(new Set(['a', 'b']));
});

test.concurrent('messages that no filter wants are deleted unseen', async () => {
  await sendAll('Filtered', ['{"kind":"agent"}', '{"kind":"gates"}', 'no json']);
  const Pattern = JSON.stringify({ body: { kind: ['gates'] } });
  const { batches } = read('Filtered', () => null, { FilterCriteria: { Filters: [{ Pattern }] } });
  await eventually(() => left('Filtered'), 0);
  expect(batches.flat().map(({ body }) => body)).toEqual(['{"kind":"gates"}']);
});

test('with the fault of duplicates each message reaches the function twice', async () => {
  faults.duplicateMessages = true;
  await sendAll('Twice', ['once']);
  const { batches } = read('Twice', () => null);
  await eventually(() => left('Twice'), 0);
  faults.duplicateMessages = false;
  expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([['once'], ['once']]);
});

test('with the fault of lost removals a message that is done with comes again', async () => {
  faults.lostRemovals = true;
  await sendAll('Again', ['once']);
  const { batches } = read('Again', () => null);
  await eventually(() => batches.length, 2);
  faults.lostRemovals = false;
  expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([['once'], ['once']]);
});

test.concurrent('no more batches are in work than the mapping allows', async () => {
  const gate = Promise.withResolvers<void>();
  let [busy, most] = [0, 0];
  await sendAll('Parallel', ['1', '2', '3', '4', '5']);
  const { batches } = read(
    'Parallel',
    async () => {
      busy += 1;
      most = Math.max(most, busy);
      await gate.promise;
      busy -= 1;
    },
    { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } },
  );
  await eventually(() => batches.length, 2);
  gate.resolve();
  await eventually(() => left('Parallel'), 0);
  expect([most, batches.length]).toEqual([2, 5]);
});
