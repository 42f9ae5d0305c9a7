import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { readTableSpecs } from '../../../local/dynamodb/tables.ts';
import { openWriteAheadLog, type WriteAheadLog } from '../../../local/dynamodb/write-ahead-log/index.ts';
import { type EventSources, startEventSources } from '../../../local/event-sources/index.ts';
import { createInjectedFaults } from '../../../local/fault-injection.ts';
import { createAwsJsonClient } from '../../../local/http/aws-json.ts';
import { type LocalSqsAndS3, startLocalSqsAndS3 } from '../../../local/queues/index.ts';
import type { InjectedFaults, InvokeResult } from '../../../local/shared-types.ts';
import { CREDENTIALS, resource, TABLE, temporaryDirectory } from '../support/resources.ts';

const tables = readTableSpecs([TABLE]);
const STREAM = tables[0]?.stream?.arn;

interface StreamRecord {
  readonly eventName: string;
  readonly dynamodb: {
    readonly Keys: { readonly pk: { readonly S: string } };
    readonly SequenceNumber: string;
    readonly NewImage?: { readonly n: { readonly N: string } };
    readonly OldImage?: unknown;
  };
}
type Handler = (records: readonly StreamRecord[], call: number) => unknown;

let directory: ReturnType<typeof temporaryDirectory>;
let log: WriteAheadLog;
let faults: InjectedFaults;
let sources: EventSources | null;
let errors: string[];
let batches: (readonly StreamRecord[])[];
let sqsEndpoint = 'http://127.0.0.1:9';
let s3Endpoint = 'http://127.0.0.1:9';

beforeEach(() => {
  directory = temporaryDirectory();
  log = openWriteAheadLog(directory.path);
  faults = createInjectedFaults();
  sources = null;
  errors = [];
  batches = [];
  sqsEndpoint = 'http://127.0.0.1:9';
  s3Endpoint = 'http://127.0.0.1:9';
});
afterEach(async () => {
  await sources?.stop();
  await log.close();
  directory.remove();
});

function start(properties: Record<string, unknown>, handler: Handler = () => null): EventSources {
  sources = startEventSources({
    credentials: CREDENTIALS,
    resources: [
      resource('Mapping', 'AWS::Lambda::EventSourceMapping', {
        EventSourceArn: STREAM,
        FunctionName: 'reader',
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...properties,
      }),
    ],
    dynamo: { log, tables },
    sqsEndpoint,
    s3Endpoint,
    lambda: {
      async invoke(_name, payload): Promise<InvokeResult> {
        const { Records } = payload as { Records: readonly StreamRecord[] };
        batches.push(Records);
        try {
          return { payload: await handler(Records, batches.length) };
        } catch (error) {
          return { payload: null, error: { errorType: 'Error', errorMessage: String(error) } };
        }
      },
    },
    faults,
    onError: (message) => errors.push(message),
  });
  return sources;
}

/** Logs a change of item `id` to version `n`. */
function change(id: string, n: number, sk = 'it'): void {
  const key = { pk: { S: id }, sk: { S: sk } };
  const at = (version: number) => (version === 0 ? null : { ...key, n: { N: String(version) } });
  log.append({ table: 'Things', key, old: at(n - 1), new: at(n), byService: false, at: Date.now() });
}

const seen = (batch: readonly StreamRecord[] | undefined): readonly string[] =>
  (batch ?? []).map(({ dynamodb }) => `${dynamodb.Keys.pk.S}${dynamodb.NewImage?.n.N ?? ''}`);
const failing = (records: readonly StreamRecord[], id: string) => ({
  batchItemFailures: records
    .filter(({ dynamodb }) => dynamodb.Keys.pk.S === id)
    .map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })),
});
const drained = async (): Promise<void> => expect(await sources?.drain(10_000)).toBe(true);

test('records look as DynamoDB streams write them, and come in order', async () => {
  change('a', 1);
  start({});
  change('a', 2);
  await drained();
  expect(batches.flat()).toMatchObject([
    { eventName: 'INSERT', eventSource: 'aws:dynamodb', eventSourceARN: STREAM, awsRegion: 'us-east-1' },
    {
      eventName: 'MODIFY',
      dynamodb: {
        Keys: { pk: { S: 'a' }, sk: { S: 'it' } },
        OldImage: { n: { N: '1' } },
        NewImage: { n: { N: '2' } },
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    },
  ]);
  const numbers = batches.flat().map(({ dynamodb }) => dynamodb.SequenceNumber);
  expect(numbers).toEqual(numbers.toSorted());
});

test('only records that match a filter are delivered', async () => {
  const Pattern = JSON.stringify({ dynamodb: { Keys: { sk: { S: ['task'] } } } });
  start({ FilterCriteria: { Filters: [{ Pattern }] } });
  change('a', 1, 'locks');
  change('b', 1, 'task');
  await drained();
  expect(batches.map(seen)).toEqual([['b1']]);
});

test('a batching window waits for a full batch, and a drain does not wait', async () => {
  start({ BatchSize: 3, MaximumBatchingWindowInSeconds: 300 });
  for (const id of ['a', 'b', 'c', 'd']) change(id, 1);
  await drained();
  expect(batches.map(seen)).toEqual([['a1', 'b1', 'c1'], ['d1']]);
});

test('a drain waits for the changes that come of the changes', async () => {
  start({}, (records) => {
    for (const { dynamodb } of records) {
      const n = Number(dynamodb.NewImage?.n.N);
      if (n < 5) change(dynamodb.Keys.pk.S, n + 1);
    }
    return null;
  });
  change('a', 1);
  await drained();
  expect(batches.flatMap(seen)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
});

describe('a record that is reported as failed', () => {
  test('comes again with those behind it, and those before it do not', async () => {
    change('a', 1);
    change('b', 1);
    change('c', 1);
    start({ BatchSize: 10 }, (records, call) => (call === 1 ? failing(records, 'b') : null));
    await drained();
    expect(batches.map(seen)).toEqual([
      ['a1', 'b1', 'c1'],
      ['b1', 'c1'],
    ]);
  });

  test('is given up alone after its retries, and the dead-letter queue hears where it was', async () => {
    const queue = resource('Dead', 'AWS::SQS::Queue', { QueueName: 'Dead' });
    const queues: LocalSqsAndS3 = await startLocalSqsAndS3({
      credentials: CREDENTIALS,
      dataDir: directory.path,
      resources: [queue],
      counters: createOperationCounters(),
      onFailure: (error) => {
        throw error;
      },
    });
    sqsEndpoint = queues.sqsEndpoint;
    for (const id of ['a', 'bad', 'c']) change(id, 1);
    start(
      {
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 2,
        DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:000000000000:Dead' } },
      },
      (records) => failing(records, 'bad'),
    );
    await drained();
    expect(batches.map(seen)).toEqual([['a1', 'bad1', 'c1'], ['bad1'], ['bad1'], ['bad1'], ['c1']]);
    const sqs = createAwsJsonClient(queues.sqsEndpoint, 'AmazonSQS', CREDENTIALS);
    const { Messages } = await sqs.callOrThrow('ReceiveMessage', {
      QueueUrl: `${queues.sqsEndpoint}/000000000000/Dead`,
    });
    const [message] = Messages as [{ Body: string }];
    expect(JSON.parse(message.Body)).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
      DDBStreamBatchInfo: {
        batchSize: 1,
        streamArn: STREAM,
        startSequenceNumber: batches[1]?.[0]?.dynamodb.SequenceNumber,
      },
    });
    expect(errors.join()).toContain('gave up 1 records');
    sqs.close();
    await queues.stop();
  });
});

test('a bucket gets all of a batch that is given up, under the name that Lambda gives it', async () => {
  const queues: LocalSqsAndS3 = await startLocalSqsAndS3({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: [resource('Kept', 'AWS::S3::Bucket', { BucketName: 'kept' })],
    counters: createOperationCounters(),
    onFailure: (error) => {
      throw error;
    },
  });
  s3Endpoint = queues.s3Endpoint;
  change('bad', 1);
  start(
    { MaximumRetryAttempts: 0, DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::kept' } } },
    () => {
      throw new Error('never works');
    },
  );
  await drained();
  const s3 = new S3Client({
    region: 'us-east-1',
    credentials: CREDENTIALS,
    endpoint: s3Endpoint,
    forcePathStyle: true,
  });
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: 'kept', Prefix: 'aws/lambda/' }),
  );
  const [Key = ''] = Contents.map((each) => each.Key ?? '');
  expect(Key).toMatch(
    /^aws\/lambda\/[0-9a-f-]{36}\/shardId-[^/]+\/\d{4}\/\d\d\/\d\d\/\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[0-9a-f-]{36}$/,
  );
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'kept', Key }));
  const told = JSON.parse((await Body?.transformToString()) ?? '');
  expect(told).toMatchObject({ DDBStreamBatchInfo: { batchSize: 1, streamArn: STREAM } });
  expect(JSON.parse(told.payload)).toEqual({ Records: batches[0] });
  s3.destroy();
  await queues.stop();
});

test('a batch that makes the function throw is halved until the bad record stands alone', async () => {
  for (const id of ['a', 'b', 'bad', 'd']) change(id, 1);
  start({ BisectBatchOnFunctionError: true, MaximumRetryAttempts: 0 }, (records) => {
    if (records.some(({ dynamodb }) => dynamodb.Keys.pk.S === 'bad')) throw new Error('poison');
    return null;
  });
  await drained();
  expect(batches.map(seen)).toEqual([
    ['a1', 'b1', 'bad1', 'd1'],
    ['a1', 'b1'],
    ['bad1', 'd1'],
    ['bad1'],
    ['d1'],
  ]);
});

test('without a limit a batch is tried until it works', async () => {
  change('a', 1);
  start({}, (_records, call) => {
    if (call < 4) throw new Error('not yet');
    return null;
  });
  await drained();
  expect(batches.map(seen)).toEqual([['a1'], ['a1'], ['a1'], ['a1']]);
});

test('a record that is too old is given up', async () => {
  change('a', 1);
  start({ MaximumRecordAgeInSeconds: 0 }, () => {
    throw new Error('never works');
  });
  await drained();
  expect(errors.join()).toContain('RecordAgeExceeded');
});

test('with several lanes a record that fails holds back only its own item', async () => {
  const handled: string[] = [];
  const bad = new Set(['bad']);
  start({ ParallelizationFactor: 10, BatchSize: 1 }, (records) => {
    if (bad.has(records[0]?.dynamodb.Keys.pk.S ?? '')) throw new Error('poison');
    handled.push(...seen(records));
    return null;
  });
  change('bad', 1);
  change('bad', 2);
  // Of ten items, some are in other lanes than the bad one.
  for (let item = 0; item < 10; item += 1) change(`good${item}-`, 1);
  await expect.poll(() => handled.length).toBeGreaterThan(3);
  expect(handled.join()).not.toContain('bad');
  bad.clear();
  await drained();
  expect(handled.filter((name) => name.startsWith('bad'))).toEqual(['bad1', 'bad2']);
  expect(handled).toHaveLength(12);
});

test('after a restart it goes on behind what it had handled', async () => {
  change('a', 1);
  start({});
  await drained();
  await sources?.stop();
  change('b', 1);
  await log.close();
  log = openWriteAheadLog(directory.path);
  batches = [];
  start({});
  await drained();
  expect(batches.map(seen)).toEqual([['b1']]);
});

test('faults deliver every record twice, and shuffle a batch', async () => {
  Object.assign(faults, { duplicateStream: true, shuffle: true });
  for (let item = 0; item < 50; item += 1) change(`item${item}-`, 1);
  start({ BatchSize: 100 });
  await drained();
  const [first = [], second = [], ...others] = batches.map(seen);
  const inOrder = Array.from({ length: 50 }, (_, item) => `item${item}-1`);
  expect(others).toEqual([]);
  expect(new Set(first)).toEqual(new Set(inOrder));
  expect(new Set(second)).toEqual(new Set(inOrder));
  expect(first).not.toEqual(inOrder);
  expect(first).not.toEqual(second);
});

test('a mapping with something that is not known is refused by name', () => {
  expect(() => start({ TumblingWindowInSeconds: 5 })).toThrow(/Mapping.*TumblingWindowInSeconds/);
  expect(() => start({ EventSourceArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/s' })).toThrow(
    'kinesis',
  );
});
