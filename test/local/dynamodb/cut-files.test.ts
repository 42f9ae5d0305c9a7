import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import { offsets } from '../support/disk.ts';
import { clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let notices: string[];
beforeEach(() => {
  directory = temporaryDirectory();
  notices = [];
});
afterEach(() => directory.remove());

const TableName = 'Things';
const ITEMS = 5;

async function start(dataDir: string): Promise<Dynamo> {
  const dynamo = await startDynamo({
    dataDir,
    resources: [TABLE],
    counters: createCounters(),
    onFailure: () => {},
    onError: (message) => notices.push(message),
  });
  dynamo.journal.register(new Map([['test', 'TRIM_HORIZON']]));
  return dynamo;
}
const clientOf = ({ endpoint }: Dynamo) => new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 1 });

/** Writes each item anew, larger than before, and passes the reader along: no file is kept for its sake. */
async function write(dynamo: Dynamo, rounds: readonly number[]): Promise<void> {
  const client = clientOf(dynamo);
  for (const round of rounds)
    for (let id = 0; id < ITEMS; id += 1)
      await client.send(
        new PutItemCommand({
          TableName,
          Item: {
            pk: { S: `k${id}` },
            sk: { S: 'it' },
            n: { N: String(round) },
            text: { S: '€'.repeat(round) },
          },
        }),
      );
  dynamo.journal.advance('test', dynamo.journal.head());
  client.destroy();
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
/** Files that say nothing of what is stored. */
const isTalk = (path: string): boolean => /^(LOCK|LOG|LOG\.old)$/.test(basename(path));
const isTables = (path: string): boolean => /dynamodb.[^/]+$/.test(path);
const contents = (folder: string) =>
  filesOf(folder)
    .filter((path) => !isTalk(path))
    .map((path) => [relative(folder, path), readFileSync(path).toString('base64')]);

/** A folder as a kill leaves it: with table files, and with writes that are in the engine's log only. */
async function killed(path: string): Promise<void> {
  const first = await start(join(directory.path, 'live'));
  await write(first, [1, 2]);
  await first.stop();
  const second = await start(join(directory.path, 'live'));
  await write(second, [3, 4]);
  cpSync(join(directory.path, 'live'), path, { recursive: true });
  await second.stop();
}

test('cut anywhere, no file of tables and stream takes an acknowledged write with it unsaid', async () => {
  const original = join(directory.path, 'killed');
  await killed(original);
  const files = filesOf(original).filter((path) => !isTalk(path));
  for (const kind of [/CURRENT$/, /MANIFEST-\d+$/, /\.log$/, /\.ldb$/, /\.jsonl$/])
    expect(files.some((path) => kind.test(path))).toBe(true);
  const copy = join(directory.path, 'copy');
  for (const file of files)
    for (const cut of offsets(readFileSync(file).length, 3).slice(0, -1)) {
      const what = `${relative(original, file)} cut at ${cut}`;
      rmSync(copy, { recursive: true, force: true });
      cpSync(original, copy, { recursive: true });
      truncateSync(join(copy, relative(original, file)), cut);
      const before = contents(copy);
      const dynamo = await start(copy).catch((error: Error) => error);
      if (dynamo instanceof Error) {
        expect(dynamo.message, what).toContain(join(copy, relative(original, file)));
        expect(dynamo.message, what).toMatch(/byte \d+|line \d+/);
        // Where the journal is refused the tables were opened, and their engine has tidied up.
        const same = (all: typeof before) =>
          all.filter(([path]) => /^stream/.test(String(path)) || isTables(file));
        expect(same(contents(copy)), what).toEqual(same(before));
        continue;
      }
      const client = clientOf(dynamo);
      const { Items: items = [] } = await client.send(new ScanCommand({ TableName }));
      expect(
        items.map(({ n }) => n?.N),
        what,
      ).toEqual(Array.from({ length: ITEMS }, () => '4'));
      client.destroy();
      await dynamo.stop();
    }
});
