import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { ConnectionFile } from '../../cli/connection.ts';
import { LOCAL_REGION } from '../../local/template/identity.ts';
import { mountSmallDisk } from '../local/support/disk.ts';

const MAIN = join(import.meta.dirname, '../../cli/main.ts');

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: { readonly id?: string; readonly code?: string; readonly detail?: string };
}

/** `assay up` on a disk of its own. */
class SmallStack {
  readonly child: ChildProcess;
  readonly connection: ConnectionFile;
  readonly notes: string[];

  private constructor(child: ChildProcess, connection: ConnectionFile, notes: string[]) {
    this.child = child;
    this.connection = connection;
    this.notes = notes;
  }

  static async start(cwd: string): Promise<SmallStack> {
    const child = spawn(process.execPath, [MAIN, 'up', '--json', '--port', '0'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const notes: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => notes.push(line));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new SmallStack(child, ConnectionFile.parse(JSON.parse(line)), notes);
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.connection.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.connection.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as Answer['body'];
    return { status: response.status, type: response.headers.get('content-type'), body: json };
  }

  /** Repeats a call until it has this status; while the stack starts nothing may answer. */
  async until(status: number, path: string): Promise<Answer> {
    for (;;) {
      const answer = await this.call('GET', path).catch(() => null);
      if (answer?.status === status) return answer;
      await setTimeout(50);
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Clients of the engines, as functions have them, which try each call once. */
function clientsOf({
  data_dir,
  dynamodb_url,
  access_key_id: accessKeyId,
  secret_access_key: secretAccessKey,
}: ConnectionFile) {
  const { queues } = JSON.parse(readFileSync(join(data_dir, 'ports.json'), 'utf8')) as { queues: number };
  const config = {
    region: LOCAL_REGION,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey },
  };
  const endpoint = `http://127.0.0.1:${queues}`;
  return {
    dynamodb: new DynamoDBClient({ ...config, endpoint: dynamodb_url }),
    sqs: new SQSClient({ ...config, endpoint }),
    s3: new S3Client({ ...config, endpoint, forcePathStyle: true }),
  };
}

const TASK = { title: 'Fix it', repository: 'https://example.com/a.git', runner: 'external', role: 'qa' };

/** Fills a disk but for so many bytes. */
function fill(path: string, left: number): void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - left)));
}

test('a stack on a full disk refuses writes, loses nothing that was acknowledged, and continues by itself', async (context) => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-full-'));
  const folder = join(cwd, '.assay-data');
  const disk = mountSmallDisk(folder, '48m');
  if (disk === null) return context.skip();
  const stack = await SmallStack.start(cwd);
  try {
    const { connection } = stack;
    const submit = () => stack.call('POST', '/tasks', TASK);
    const ids = [await submit(), await submit()].map(({ status, body }) => {
      expect(status).toBe(201);
      return String(body.id);
    });

    // A queue that no function reads.
    const { dynamodb: client, sqs, s3 } = clientsOf(connection);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'probe' }));

    // Nearly full: what would write is refused before anything is done, and reading goes on.
    fill(folder, 1_048_576);
    expect(await submit()).toMatchObject({
      status: 503,
      type: 'application/problem+json',
      body: { code: 'storage_full', detail: expect.stringContaining('MiB of free space') },
    });
    expect((await stack.call('GET', `/tasks/${ids[0]}`)).status).toBe(200);

    // Full in the middle of a write of each engine: it is not acknowledged, and the stack ends.
    const { Buckets: [bucket] = [] } = await s3.send(new ListBucketsCommand({}));
    const keyOf = (index: number) => ({ pk: { S: `PROBE#${index}` }, sk: { S: 'META' } });
    const text = (index: number) => `${index} ${'x'.repeat(20_000)}`;
    const objectKey = (index: number) => `records/probe/${index}`;
    const items: number[] = [];
    const messages: string[] = [];
    const objects: number[] = [];
    const isWritten = (write: Promise<unknown>) =>
      write.then(
        () => true,
        () => false,
      );
    for (let index = 0, failures = 0; failures < 3; index += 1) {
      const Item = { ...keyOf(index), text: { S: text(index) } };
      const put = new PutItemCommand({ TableName: connection.table, Item });
      const message = new SendMessageCommand({ QueueUrl, MessageBody: text(index) });
      const object = new PutObjectCommand({ Bucket: bucket?.Name, Key: objectKey(index), Body: text(index) });
      failures = 0;
      if (await isWritten(sqs.send(message))) messages.push(text(index));
      else failures += 1;
      if (await isWritten(s3.send(object))) objects.push(index);
      else failures += 1;
      if (await isWritten(client.send(put))) items.push(index);
      else failures += 1;
    }
    for (const { length } of [items, messages, objects]) expect(length).toBeGreaterThan(1);
    const refused = await stack.until(503, `/tasks/${ids[0]}`);
    expect(refused.body.code).toBe('storage_full');
    expect(stack.child.exitCode).toBeNull();

    // A kill in the middle of an append leaves half a record.
    const log = readdirSync(join(folder, 'dynamodb'))
      .filter((name) => name.endsWith('.log'))
      .sort()
      .at(-1);
    rmSync(join(folder, 'ballast'));
    appendFileSync(join(folder, 'dynamodb', String(log)), '{"kind":"change","ta');
    for (const id of ids) await stack.until(200, `/tasks/${id}`);
    expect(stack.notes.join('\n')).toContain('There is room again');
    const received = new Set<string | undefined>();
    while (messages.some((message) => !received.has(message))) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
      );
      for (const { Body } of Messages) received.add(Body);
      expect(Messages).not.toEqual([]);
    }
    for (const index of objects) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket?.Name, Key: objectKey(index) }));
      expect(await Body?.transformToString()).toBe(text(index));
    }
    for (const index of items) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: connection.table, Key: keyOf(index) }),
      );
      expect(Item?.['text']?.S).toBe(text(index));
    }
    expect((await submit()).status).toBe(201);
    for (const each of [client, sqs, s3]) each.destroy();
  } finally {
    await stack.stop();
    disk.remove();
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
}, 120_000);
