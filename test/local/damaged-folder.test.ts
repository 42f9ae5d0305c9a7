import {
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataDirectory } from '../../local/data-directory.ts';
import { type LocalStack, startLocalStack } from '../../local/stack.ts';
import { writeAssembly } from './support/assembly.ts';
import { clientConfig, temporaryDirectory } from './support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let data: string;
let stack: LocalStack | null;
let said: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  data = join(directory.path, 'data');
  writeAssembly(join(directory.path, 'assembly'));
  stack = null;
  said = [];
});
afterEach(async () => {
  await stack?.stop();
  directory.remove();
});

async function start(): Promise<LocalStack> {
  stack = await startLocalStack({
    dataDir: data,
    assembly: join(directory.path, 'assembly'),
    cache: join(directory.path, 'cache'),
    onLog: () => {},
    onError: (message) => said.push(message),
    onFailure: (error) => said.push(error.message),
  });
  return stack;
}
async function stop(): Promise<void> {
  await stack?.stop();
  stack = null;
}
const submit = ({ url, token }: LocalStack, id = 'a') =>
  fetch(`${url}/things/${id}`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
const s3 = (): S3Client => {
  const { queues } = JSON.parse(readFileSync(join(data, 'ports.json'), 'utf8'));
  return new S3Client({
    ...clientConfig(`http://127.0.0.1:${queues}`),
    ...(stack && { credentials: stack.credentials }),
    forcePathStyle: true,
    maxAttempts: 1,
  });
};
const put = (Key: string, Body: string) => s3().send(new PutObjectCommand({ Bucket: 'bucket', Key, Body }));
const get = async (Key: string): Promise<string | undefined> => {
  const answer = await s3().send(new GetObjectCommand({ Bucket: 'bucket', Key }));
  return answer.Body?.transformToString();
};

describe('a small file of the folder', () => {
  test.each(['ports.json', 'operator-token', 'id'])(
    '%s is cut at any byte, and the folder opens',
    async (name) => {
      const first = openDataDirectory(data);
      first.rememberPorts({ api: 1, control: 2, dynamodb: 3, queues: 4, functionUrl: 5 });
      first.storeToken('assay_op_x');
      first.release();
      const path = join(data, name);
      const whole = readFileSync(path);
      for (let cut = 0; cut <= whole.length; cut += 1) {
        writeFileSync(path, whole.subarray(0, cut));
        const again = openDataDirectory(data);
        expect([0, 3]).toContain(again.ports.dynamodb);
        expect(again.id).toMatch(/^[0-9a-f-]{36}$/);
        again.release();
      }
      writeFileSync(path, Buffer.from([0, 255, 10, 123]));
      openDataDirectory(data).release();
    },
  );

  test('the lock is no database, and is taken all the same', () => {
    const first = openDataDirectory(data);
    first.release();
    for (const bytes of ['x', 'SQLite format 3\0', 'no database at all'.repeat(100)]) {
      writeFileSync(join(data, 'lock'), bytes);
      const again = openDataDirectory(data);
      expect(() => openDataDirectory(data)).toThrow('in use by another stack');
      again.release();
    }
  });
});

test('the token is missing, torn, or of another folder: that is said, a new one works, and its file has it', async () => {
  const { token } = await start();
  expect(said).toEqual([]);
  await stop();
  const path = join(data, 'operator-token');
  const foreign = `assay_op_${'x'.repeat(43)}\n`;
  for (const text of [null, '', token.slice(0, 20), foreign]) {
    said = [];
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
    const running = await start();
    expect(said).toEqual([expect.stringMatching(/the operator token was (missing|damaged)/)]);
    expect(running.token).not.toBe(token);
    expect((await submit(running)).status).toBe(202);
    expect(readFileSync(path, 'utf8').trim()).toBe(running.token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await submit({ ...running, token: foreign.trim() })).status).toBe(403);
    await stop();
  }
  said = [];
  await start();
  expect(said).toEqual([]);
});

describe('an object', () => {
  const details = (key: string) => join(data, 's3/.details/bucket', `${key}.json`);

  test('whose headers are cut anywhere is missing and named, and no other is', async () => {
    await start();
    await put('torn', 'torn');
    await put('whole', 'whole');
    await stop();
    const headers = readFileSync(details('torn'));
    for (const cut of [0, 1, Math.floor(headers.length / 2), headers.length - 1]) {
      said = [];
      writeFileSync(details('torn'), headers.subarray(0, cut));
      await start();
      expect(said).toEqual([expect.stringContaining(`${details('torn')} is damaged`)]);
      await expect(get('torn')).rejects.toMatchObject({ name: 'NoSuchKey' });
      expect(await get('whole')).toBe('whole');
      await stop();
    }
    await start();
    await put('torn', 'again');
    expect(await get('torn')).toBe('again');
  });

  test('that is cut anywhere is missing and named, not short', async () => {
    await start();
    await put('short', 'all of it');
    await stop();
    const body = join(data, 's3/bucket/short');
    for (const size of [8, 1, 0]) {
      said = [];
      truncateSync(body, size);
      await start();
      expect(said).toEqual([expect.stringContaining(`${body} is damaged`)]);
      await expect(get('short')).rejects.toMatchObject({ name: 'NoSuchKey' });
      await stop();
    }
  });

  test.each(['two', 'of another length'])(
    'whose successor `%s` had its headers only when a kill came stays as it was',
    async (successor) => {
      await start();
      await put('replaced', 'one');
      await stop();
      const body = join(data, 's3/bucket/replaced');
      await start();
      await put('replaced', successor);
      await stop();
      writeFileSync(body, 'one');
      // Before its headers, which are of the successor.
      utimesSync(body, 1, 1);
      said = [];
      await start();
      expect(await get('replaced')).toBe('one');
      expect(said).toEqual([]);
    },
  );
});

test('queues that cannot be read are named with what to do, and nothing of them is changed', async () => {
  const running = await start();
  expect((await submit(running)).status).toBe(202);
  await stop();
  const folder = join(data, 'sqs');
  const [name = ''] = readdirSync(folder).filter((entry) => !/-(wal|shm)$/.test(entry));
  writeFileSync(join(folder, name), 'no database at all'.repeat(100));
  await expect(start()).rejects.toThrow(
    `the queues in ${folder} cannot be read: ${join(folder, name)} (1800 bytes): file is not a database`,
  );
  expect(readFileSync(join(folder, name), 'utf8')).toContain('no database');
  rmSync(folder, { recursive: true });
  expect((await submit(await start(), 'b')).status).toBe(202);
});
