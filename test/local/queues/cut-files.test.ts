import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { checkQueueDatabase, QUEUE_DATABASE_FILE } from '../../../local/queues/database-check.ts';
import { type LocalSqsAndS3, startLocalSqsAndS3 } from '../../../local/queues/index.ts';
import { offsets } from '../support/disk.ts';
import { CREDENTIALS, clientConfig, resource, temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const start = (dataDir: string): Promise<LocalSqsAndS3> =>
  startLocalSqsAndS3({
    credentials: CREDENTIALS,
    dataDir,
    resources: [resource('Work', 'AWS::SQS::Queue', { QueueName: 'Work', VisibilityTimeout: 600 })],
    counters: createOperationCounters(),
    onFailure: () => {},
  });
const clientOf = ({ sqsEndpoint }: LocalSqsAndS3) =>
  new SQSClient({ ...clientConfig(sqsEndpoint), maxAttempts: 1 });
const urlOf = ({ sqsEndpoint }: LocalSqsAndS3): string => `${sqsEndpoint}/000000000000/Work`;

async function send(queues: LocalSqsAndS3, names: readonly string[]): Promise<void> {
  const client = clientOf(queues);
  for (const name of names)
    await client.send(
      new SendMessageCommand({ QueueUrl: urlOf(queues), MessageBody: name.padEnd(1_500, '.') }),
    );
  client.destroy();
}
async function received(queues: LocalSqsAndS3): Promise<readonly string[]> {
  const client = clientOf(queues);
  const names: string[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: urlOf(queues), MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) break;
    names.push(...Messages.map(({ Body = '' }) => Body.replace(/\.+$/, '')));
  }
  client.destroy();
  return names.toSorted((a, b) => a.localeCompare(b));
}

const EARLY = ['a', 'b', 'c', 'd'];
const LATE = ['e', 'f', 'g'];

/** The folder of queues as a kill leaves it. */
async function killed(path: string): Promise<void> {
  const live = join(directory.path, 'live');
  const first = await start(live);
  await send(first, EARLY);
  await first.stop();
  const second = await start(live);
  await send(second, LATE);
  cpSync(live, path, { recursive: true });
  await second.stop();
}

/** Also all ends of pages, and a little before and behind them: what is missing there reads as zeros. */
const cuts = (length: number): readonly number[] => {
  const pages = Array.from({ length: Math.floor(length / 4_096) }, (_, page) => (page + 1) * 4_096);
  const near = pages.flatMap((at) => [at - 1_500, at - 1, at, at + 1]).filter((at) => at <= length);
  return [...new Set([...offsets(length, 20), ...near])];
};
const FILES = [QUEUE_DATABASE_FILE, `${QUEUE_DATABASE_FILE}-journal`];
/** What SQLite says is there. */
function stored(folder: string): readonly string[] {
  const database = new DatabaseSync(join(folder, QUEUE_DATABASE_FILE));
  const rows = database.prepare('SELECT body FROM sqs_messages ORDER BY body').all();
  database.close();
  return rows.map(({ body }) => String(body).replace(/\.+$/, ''));
}
const bytes = (folder: string): readonly string[] =>
  FILES.map((name) => readFileSync(join(folder, name)).toString('base64'));

test('cut anywhere, no file of the queues takes an acknowledged message with it unsaid', async () => {
  const original = join(directory.path, 'killed');
  await killed(original);
  expect(readdirSync(join(original, 'sqs')).toSorted((a, b) => a.localeCompare(b))).toEqual(FILES);
  const copy = join(directory.path, 'copy');
  const outcomes = new Set<string>();
  for (const name of FILES)
    for (const cut of cuts(readFileSync(join(original, 'sqs', name)).length)) {
      const what = `${name} cut at ${cut}`;
      rmSync(copy, { recursive: true, force: true });
      cpSync(join(original, 'sqs'), copy, { recursive: true });
      truncateSync(join(copy, name), cut);
      const before = bytes(copy);
      try {
        checkQueueDatabase(copy);
      } catch (error) {
        outcomes.add(`${name} refused`);
        expect(String(error), what).toContain(join(copy, name));
        expect(String(error), what).toMatch(/ byte \d|\(\d+ bytes\)/);
        expect(bytes(copy), what).toEqual(before);
        continue;
      }
      outcomes.add(`${name} taken`);
      expect(stored(copy), what).toEqual([...EARLY, ...LATE]);
    }
  expect(outcomes).toEqual(
    new Set([
      `${QUEUE_DATABASE_FILE} refused`,
      `${QUEUE_DATABASE_FILE} taken`,
      `${QUEUE_DATABASE_FILE}-journal taken`,
    ]),
  );
});

test('a database that is cut stops the start, and whole it has all messages', async () => {
  const original = join(directory.path, 'killed');
  await killed(original);
  const file = join(original, 'sqs', QUEUE_DATABASE_FILE);
  const whole = readFileSync(file);
  truncateSync(file, whole.length - 1);
  await expect(start(original)).rejects.toThrow(
    `${file} (${whole.length - 1} bytes): ends at byte ${whole.length - 1} of ${whole.length}`,
  );
  writeFileSync(file, whole);
  const queues = await start(original);
  expect(await received(queues)).toEqual([...EARLY, ...LATE]);
  await queues.stop();
});

test('a transaction that a kill interrupted is rolled back', async () => {
  const original = join(directory.path, 'killed');
  await killed(original);
  const path = join(original, 'sqs', QUEUE_DATABASE_FILE);
  const interrupted = join(directory.path, 'interrupted');
  const database = new DatabaseSync(path);
  // Without a cache, pages are in the file before the end of the transaction, and the old ones in the journal.
  database.exec('PRAGMA cache_size = 0; PRAGMA synchronous = OFF; BEGIN');
  database.exec("UPDATE sqs_messages SET body = upper(body) || zeroblob(9000) WHERE body LIKE 'a%'");
  cpSync(original, interrupted, { recursive: true });
  database.close();
  expect(readFileSync(join(interrupted, 'sqs', `${QUEUE_DATABASE_FILE}-journal`)).length).toBeGreaterThan(0);
  const queues = await start(interrupted);
  expect(await received(queues)).toEqual([...EARLY, ...LATE]);
  await queues.stop();
});

test('a kill in the first start, before there is a database, is nothing', async () => {
  const folder = join(directory.path, 'new', 'sqs', 'fresh');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, QUEUE_DATABASE_FILE), '');
  await (await start(join(directory.path, 'new'))).stop();
  expect(readdirSync(join(directory.path, 'new', 'sqs')).toSorted()).toEqual(FILES);
});
