import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import { offsets } from '../support/disk.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

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
    credentials: CREDENTIALS,
    dataDir,
    resources: [TABLE],
    counters: createOperationCounters(),
    log: { segmentBytes: 2_000 },
    onFailure: () => {},
    onError: (message) => notices.push(message),
  });
  dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
  return dynamo;
}
const clientOf = ({ endpoint }: Dynamo) => new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 1 });

/** Writes each item anew, larger than before, and advances the reader: no file is kept for it. */
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
  dynamo.log.advance('test', dynamo.log.head());
  client.destroy();
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
const contents = (folder: string) =>
  filesOf(folder).map((path) => [relative(folder, path), readFileSync(path).toString('base64')]);

/** A folder as a kill leaves it: with a snapshot, and with several segments behind it. */
async function killed(path: string): Promise<void> {
  const live = join(directory.path, 'live');
  const first = await start(live);
  await write(first, [1, 2]);
  await first.stop();
  const second = await start(live);
  await write(second, [3, 4]);
  await vi.waitFor(() => expect(filesOf(live).some((file) => file.endsWith('.snapshot'))).toBe(true), {
    timeout: 10_000,
    interval: 5,
  });
  cpSync(live, path, { recursive: true });
  await second.stop();
}

test('cut anywhere, no file of tables and stream takes an acknowledged write with it unsaid', async () => {
  const original = join(directory.path, 'killed');
  await killed(original);
  const files = filesOf(original);
  for (const kind of [/\.log$/, /\.snapshot$/]) expect(files.some((path) => kind.test(path))).toBe(true);
  const copy = join(directory.path, 'copy');
  for (const file of files)
    for (const cut of offsets(readFileSync(file).length, 3).slice(0, -1)) {
      const what = `${relative(original, file)} cut at ${cut}`;
      rmSync(copy, { recursive: true, force: true });
      cpSync(original, copy, { recursive: true });
      truncateSync(join(copy, relative(original, file)), cut);
      const before = contents(copy);
      notices = [];
      const dynamo = await start(copy).catch((error: Error) => error);
      if (dynamo instanceof Error) {
        expect(dynamo.message, what).toContain(join(copy, relative(original, file)));
        expect(dynamo.message, what).toMatch(/byte \d+|line \d+/);
        expect(contents(copy), what).toEqual(before);
        continue;
      }
      const client = clientOf(dynamo);
      const { Items: items = [] } = await client.send(new ScanCommand({ TableName }));
      const [notice] = notices;
      // The newest segment may lose its end with a loss of power: then that is said, and all before it is there.
      if (notice === undefined)
        expect(
          items.map(({ n }) => n?.N),
          what,
        ).toEqual(Array.from({ length: ITEMS }, () => '4'));
      else expect(notice, what).toMatch(`${join(copy, relative(original, file))} ends at byte ${cut} of `);
      client.destroy();
      await dynamo.stop();
    }
});
