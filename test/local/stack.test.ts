import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../local/counters.ts';
import { startDynamo } from '../../local/dynamodb/index.ts';
import { startLocalSqsAndS3 } from '../../local/queues/index.ts';
import { type ExternalEngineEndpoints, type LocalStack, startLocalStack } from '../../local/stack.ts';
import { readAssembly } from '../../local/template/assets.ts';
import { resolveResourceNames } from '../../local/template.ts';
import { writeAssembly } from './support/assembly.ts';
import { CREDENTIALS, clientConfig, temporaryDirectory } from './support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let assembly: string;
let stack: LocalStack | null;
let errors: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  assembly = writeAssembly(join(directory.path, 'assembly'));
  stack = null;
  errors = [];
});
afterEach(async () => {
  await stack?.stop();
  directory.remove();
});

const start = async (
  changes: { assembly?: string; port?: number; engines?: ExternalEngineEndpoints } = {},
): Promise<LocalStack> => {
  stack = await startLocalStack({
    dataDir: join(directory.path, 'data'),
    assembly,
    cache: join(directory.path, 'cache'),
    onLog: () => {},
    onError: (message) => errors.push(message),
    onFailure: (error) => errors.push(String(error)),
    ...changes,
  });
  return stack;
};
const put = (running: LocalStack, id: string, token = running.token): Promise<Response> =>
  fetch(`${running.url}/things/${id}`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
const control = async (running: LocalStack, method: string, path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${running.controlUrl}/_assay/${path}`, {
    method,
    headers: { authorization: `Bearer ${running.credentials.secretAccessKey}` },
    ...init,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, Record<string, number>> };
};
/** What came of an item, after the streams were drained. */
const recorded = async (running: LocalStack, id: string): Promise<string> => {
  expect(await control(running, 'POST', 'drain')).toEqual({ status: 200, body: { drained: true } });
  return vi.waitFor(() => readFileSync(join(running.recordsDir, `${id}.jsonl`), 'utf8'), 5000);
};

test('a request goes all the way: authorizer, function, table, stream, queue, object', async () => {
  const running = await start();
  expect((await put(running, 'a', 'wrong')).status).toBe(403);
  expect((await put(running, 'a')).status).toBe(202);
  expect(await recorded(running, 'a')).toBe('embedded');
  // The object is there before the function that wrote it has ended and its message is deleted.
  await vi.waitFor(async () => {
    const { body } = await control(running, 'GET', 'counters');
    expect(body).toMatchObject({
      'HTTP API': { Requests: 2 },
      DynamoDB: { PutItem: expect.any(Number) },
      SQS: { SendMessage: 1, DeleteMessageBatch: 1 },
      S3: { PutObject: 1 },
      'Lambda invocations': { api: 1, authorizer: 2, reader: 1, writer: 1 },
    });
  }, 5000);
  await control(running, 'POST', 'counters/reset');
  expect((await control(running, 'GET', 'counters')).body).toEqual({});
  expect(errors).toEqual([]);
});

test('started again on the same directory it is at the same addresses, with the same token and data', async () => {
  const first = await start();
  await put(first, 'before');
  await recorded(first, 'before');
  await first.stop();
  const second = await start();
  expect([second.url, second.controlUrl, second.token]).toEqual([first.url, first.controlUrl, first.token]);
  expect((await put(second, 'after', first.token)).status).toBe(202);
  expect(await recorded(second, 'after')).toBe('embedded');
  expect(await recorded(second, 'before')).toBe('embedded');
});

test('the operator token is in a file that only its owner can read', async () => {
  const running = await start();
  const file = join(directory.path, 'data/operator-token');
  expect(readFileSync(file, 'utf8')).toBe(`${running.token}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(running.token).toMatch(/^assay_op_[\w-]{43}$/);
});

test('a directory is used by one stack at a time, and the second leaves the first alone', async () => {
  const running = await start();
  const second = startLocalStack({
    dataDir: join(directory.path, 'data'),
    assembly,
    cache: join(directory.path, 'cache'),
    onLog: () => {},
    onError: () => {},
    onFailure: () => {},
  });
  await expect(second).rejects.toThrow('in use by another stack');
  expect((await put(running, 'a')).status).toBe(202);
});

test('a port that is taken is an error when it was asked for, and nothing is left running', async () => {
  const taken = new URL((await start()).url).port;
  const other = startLocalStack({
    dataDir: join(directory.path, 'other'),
    assembly,
    cache: join(directory.path, 'cache'),
    port: Number(taken),
    onLog: () => {},
    onError: () => {},
    onFailure: () => {},
  });
  await expect(other).rejects.toThrow('EADDRINUSE');
});

test('a template with something that is not known is refused by name, and the directory is free again', async () => {
  const odd = writeAssembly(join(directory.path, 'odd'), {
    Cache: { Type: 'AWS::ElastiCache::CacheCluster' },
  });
  await expect(start({ assembly: odd })).rejects.toThrow('AWS::ElastiCache::CacheCluster (Cache)');
  const running = await start();
  expect((await put(running, 'a')).status).toBe(202);
});

test('engines that run elsewhere take the place of the embedded ones', async () => {
  const named = resolveResourceNames(readAssembly(assembly));
  const common = {
    resources: named,
    counters: createOperationCounters(),
    onError: () => {},
    onFailure: () => {},
  };
  const dataDir = join(directory.path, 'elsewhere');
  // Both sides have the same credentials; other emulators check none.
  mkdirSync(join(directory.path, 'data'));
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  writeFileSync(join(directory.path, 'data/engine-credentials'), `${accessKeyId} ${secretAccessKey}\n`);
  const [dynamo, queues] = await Promise.all([
    startDynamo({ credentials: CREDENTIALS, ...common, dataDir, resources: [] }),
    startLocalSqsAndS3({ credentials: CREDENTIALS, ...common, dataDir, resources: [] }),
  ]);
  const engines = { DYNAMODB: dynamo.endpoint, SQS: queues.sqsEndpoint, S3: queues.s3Endpoint };
  const running = await start({ engines });
  expect((await put(running, 'a')).status).toBe(202);
  await control(running, 'POST', 'drain');
  expect(running.recordsDir).toBe('s3://bucket/records');
  const s3 = new S3Client({ ...clientConfig(queues.s3Endpoint), forcePathStyle: true });
  const object = new HeadObjectCommand({ Bucket: 'bucket', Key: 'records/a.jsonl' });
  await vi.waitFor(() => s3.send(object), 5000);
  s3.destroy();
  expect(common.counters.snapshot()).toMatchObject({ SQS: { SendMessage: 1 }, DynamoDB: { PutItem: 2 } });
  await running.stop();
  stack = null;
  await Promise.all([dynamo.stop(), queues.stop()]);
});
