import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type LocalSqsAndS3, startLocalSqsAndS3 } from '../../../local/queues/index.ts';
import type { OperationCounters } from '../../../local/shared-types.ts';
import { RecordObjectStore } from '../../../shared/store/record-object-store.ts';
import { compactRecordsOfDay } from '../../../shared/use-cases/operate/compact-records.ts';
import { CREDENTIALS, clientConfig, resource, temporaryDirectory } from '../support/resources.ts';

/** One queue for each test, because what a test leaves behind comes again after a restart. */
const RESOURCES = [
  ...['Retried', 'Kept', 'Counted', 'Moved', 'Fair', 'Alike'].map((QueueName) =>
    resource(QueueName, 'AWS::SQS::Queue', {
      QueueName,
      VisibilityTimeout: 600,
      RedrivePolicy: {
        deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:Dead',
        maxReceiveCount: 2,
      },
    }),
  ),
  resource('Dead', 'AWS::SQS::Queue', { QueueName: 'Dead' }),
  resource('Files', 'AWS::S3::Bucket', { BucketName: 'files' }),
];

const directory = temporaryDirectory();
let counters: OperationCounters;
let queues: LocalSqsAndS3;
let sqs: SQSClient;
let s3: S3Client;

async function start(port = 0): Promise<void> {
  counters = createOperationCounters();
  queues = await startLocalSqsAndS3({
    credentials: CREDENTIALS,
    dataDir: directory.path,
    resources: RESOURCES,
    counters,
    port,
    onFailure: (error) => {
      throw error;
    },
  });
  sqs = new SQSClient(clientConfig(queues.sqsEndpoint));
  s3 = new S3Client(clientConfig(queues.sqsEndpoint));
}

async function stop(): Promise<void> {
  sqs.destroy();
  s3.destroy();
  await queues.stop();
}

beforeAll(() => start());
afterAll(async () => {
  await stop();
  directory.remove();
});

const url = (queue: string): string => `${queues.sqsEndpoint}/000000000000/${queue}`;
const receive = async (queue: string): Promise<Message | undefined> => {
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: url(queue), WaitTimeSeconds: 5, MaxNumberOfMessages: 1 }),
  );
  return Messages?.[0];
};
const sendTo = (queue: string, MessageBody: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: url(queue), MessageBody }));
const release = (queue: string, message: Message | undefined) =>
  sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: url(queue),
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  );
const put = (Key: string, Body: string, conditions: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket: 'files', Key, Body, ...conditions }));
const get = async (Key: string): Promise<string | undefined> =>
  (await s3.send(new GetObjectCommand({ Bucket: 'files', Key }))).Body?.transformToString();

test('a message that is given back is there at once, and ends in the dead-letter queue of the template', async () => {
  await sendTo('Retried', 'hello');
  await release('Retried', await receive('Retried'));
  await release('Retried', await receive('Retried'));
  const waiting = receive('Retried');
  expect((await receive('Dead'))?.Body).toBe('hello');
  await sendTo('Retried', 'next');
  expect((await waiting)?.Body).toBe('next');
});

test('who sends one message among a thousand of another is served next, and again after a restart', async () => {
  const send = (who: string, index: number) =>
    sqs.send(
      new SendMessageCommand({ QueueUrl: url('Fair'), MessageBody: `${who} ${index}`, MessageGroupId: who }),
    );
  const bodies = async (most: number) => {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url('Fair'),
        MaxNumberOfMessages: most,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return (Messages ?? []).map(({ Body, Attributes }) => [Body, Attributes?.['MessageGroupId']]);
  };
  for (let index = 0; index < 1_000; index += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => send('much', index + at)));
  expect(await bodies(10)).toHaveLength(10);
  await send('little', 1);
  expect(await bodies(2)).toEqual([
    ['little 1', 'little'],
    [expect.stringMatching(/^much/), 'much'],
  ]);
  await stop();
  await start();
  await send('less', 1);
  // None is in work after the restart; one of each comes before the second of any.
  const groups = (await bodies(3)).map(([, group]) => group);
  expect(new Set(groups)).toEqual(new Set(['much', 'little', 'less']));
});

test('messages that are word for word the same, sent at once by several, keep whose they are', async () => {
  const who = Array.from({ length: 40 }, (_, at) => `of ${at}`);
  const sent = who.map((each) =>
    sqs.send(new SendMessageCommand({ QueueUrl: url('Alike'), MessageBody: 'same', MessageGroupId: each })),
  );
  await Promise.all(sent);
  const found: (string | undefined)[] = [];
  while (found.length < who.length) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url('Alike'),
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    found.push(...Messages.map(({ Attributes }) => Attributes?.['MessageGroupId']));
  }
  expect(new Set(found)).toEqual(new Set(who));
});

test('messages and objects outlive the process, and what was in work is visible again', async () => {
  await sendTo('Kept', 'in work');
  await sendTo('Kept', 'deleted');
  const first = await receive('Kept');
  const second = await receive('Kept');
  await sqs.send(
    new DeleteMessageCommand({ QueueUrl: url('Kept'), ReceiptHandle: second?.ReceiptHandle ?? '' }),
  );
  await put('records/table=x/dt=2026-01-01/a.jsonl', '{"a":1}\n');
  await put('replaced', 'one');
  await put('replaced', 'three');
  await stop();
  await start();
  expect((await receive('Kept'))?.MessageId).toBe(first?.MessageId);
  expect(await get('records/table=x/dt=2026-01-01/a.jsonl')).toBe('{"a":1}\n');
  expect(await get('replaced')).toBe('three');
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: 'files' }));
  expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([
    ['records/table=x/dt=2026-01-01/a.jsonl', 8],
    ['replaced', 5],
  ]);
});

test('an object is a plain file under its key', async () => {
  await put('logs/a.txt', 'before');
  const file = join(queues.bucketDirectory('files'), 'logs/a.txt');
  expect(readFileSync(file, 'utf8')).toBe('before');
});

test('keys that are not a path below the bucket are refused', async () => {
  for (const Key of ['a/../../escape', '../escape', 'a//b', 'a/./b']) {
    const signed = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'files', Key }));
    // Encoded, or the client would take the dots out of the path.
    const target = signed.replace(
      /(files\/)(.*)\?/,
      (_, bucket, key) => `${bucket}${key.replaceAll('/', '%2F')}?`,
    );
    const answer = await fetch(target, { method: 'PUT', body: 'x' });
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain('cannot keep an object');
  }
});

test('of many puts with If-None-Match one wins, and If-Match takes the current etag only', async () => {
  const puts = Array.from({ length: 20 }, (_, index) => put('once', String(index), { IfNoneMatch: '*' }));
  const settled = await Promise.allSettled(puts);
  const won = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const lost = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.name] : []));
  expect(won).toHaveLength(1);
  expect(lost).toEqual(Array(19).fill('PreconditionFailed'));
  await expect(put('once', 'x', { IfMatch: '"00000000000000000000000000000000"' })).rejects.toMatchObject({
    name: 'PreconditionFailed',
  });
  await put('once', 'x', { IfMatch: won[0]?.ETag });
  expect(await get('once')).toBe('x');
});

test('a presigned upload takes a patch of the largest size', async () => {
  const body = Buffer.alloc(20 * 1_048_576, 'x');
  const signed = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'files', Key: 'patch' }));
  const answer = await fetch(signed, { method: 'PUT', body });
  expect(answer.status).toBe(200);
  expect(readFileSync(join(queues.bucketDirectory('files'), 'patch')).equals(body)).toBe(true);
});

test('records are compacted, and what is asked of them is there', async () => {
  const prefix = 'records/table=tasks/dt=2026-11-20/';
  for (let n = 0; n < 20; n++)
    await s3.send(
      new PutObjectCommand({
        Bucket: 'files',
        Key: `${prefix}${String(n).padStart(32, '0')}.jsonl`,
        Body: `${JSON.stringify({ record_id: n })}\n`,
      }),
    );
  const objects = new RecordObjectStore(s3, 'files');
  expect(await compactRecordsOfDay(prefix, { objects, hasTimeLeft: () => true })).toEqual({
    written: 1,
    removed: 20,
  });
  const [whole, ...others] = await objects.list(prefix);
  expect(others).toEqual([]);
  expect((await objects.find(whole?.key ?? ''))?.split('\n')).toHaveLength(21);
  expect(await objects.find(`${prefix}_plan.json`)).toBeNull();
  await objects.remove([whole?.key ?? '']);
  // It would else be counted in the next test.
  await vi.waitFor(() => expect(counters.snapshot()['S3']?.['DeleteObjects']).toBe(3), 5000);
});

test('requests are counted by operation', async () => {
  counters.reset();
  await sendTo('Counted', 'counted');
  await receive('Counted');
  await put('counted', 'x');
  await get('counted');
  await s3.send(new ListObjectsV2Command({ Bucket: 'files' }));
  // The counts come from the engine's thread, by another way than its answers.
  await vi.waitFor(
    () =>
      expect(counters.snapshot()).toEqual({
        SQS: { SendMessage: 1, ReceiveMessage: 1 },
        S3: { PutObject: 1, GetObject: 1, ListObjectsV2: 1 },
      }),
    5000,
  );
});

test('it listens where it did before when it can, elsewhere when it cannot, and only on loopback', async () => {
  const port = Number(new URL(queues.sqsEndpoint).port);
  await stop();
  await start(port);
  expect(queues.sqsEndpoint).toBe(`http://127.0.0.1:${port}`);
  await stop();
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(port, '127.0.0.1', resolve);
  });
  await start(port);
  expect(queues.sqsEndpoint).not.toBe(`http://127.0.0.1:${port}`);
  await sendTo('Moved', 'still works');
  expect((await receive('Moved'))?.Body).toBe('still works');
  taken.close();
});
