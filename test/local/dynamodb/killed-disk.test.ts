import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileSystemCalls } from '../../../local/atomic-files.ts';
import { createOperationCounters } from '../../../local/counters.ts';
import { type Dynamo, startDynamo } from '../../../local/dynamodb/index.ts';
import type { ItemImage } from '../../../local/dynamodb/item-image.ts';
import { killedAfter, mountSmallDisk, offsets } from '../support/disk.ts';
import { CREDENTIALS, clientConfig, TABLE, temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const TableName = 'Things';

async function start(dataDir: string, failures: string[], calls?: FileSystemCalls): Promise<Dynamo> {
  const dynamo = await startDynamo({
    credentials: CREDENTIALS,
    dataDir,
    resources: [TABLE],
    counters: createOperationCounters(),
    ...(calls === undefined ? {} : { log: { calls } }),
    onFailure: (error) => failures.push(error.message),
    onError: () => {},
  });
  try {
    dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
  } catch (error) {
    // As the stack does: what has started is stopped, or it would hold the tables for ever.
    await dynamo.stop();
    throw error;
  }
  return dynamo;
}
const clientOf = ({ endpoint }: Dynamo) => new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 1 });

/** Counts up three items, one after the other, until a write is not acknowledged. Answers what was. */
async function countUp(client: DynamoDBClient, most: number): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  for (let count = 0; count < most; count += 1) {
    const id = `k${count % 3}`;
    const written = await client
      .send(
        new UpdateItemCommand({
          TableName,
          Key: { pk: { S: id }, sk: { S: 'it' } },
          UpdateExpression: 'ADD n :one SET #t = :text',
          ExpressionAttributeNames: { '#t': 'text' },
          ExpressionAttributeValues: { ':one': { N: '1' }, ':text': { S: '€'.repeat(20) } },
          ReturnValues: 'UPDATED_NEW',
        }),
      )
      .catch(() => null);
    // What comes after a failure must fail, too, or be as good as any other: so it goes on.
    if (written !== null) acknowledged.set(id, Number(written.Attributes?.['n']?.N));
  }
  return acknowledged;
}

/** Starts again, and holds the table and its stream against what was acknowledged. */
async function expectWhole(dataDir: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const failures: string[] = [];
  const dynamo = await start(dataDir, failures);
  const client = clientOf(dynamo);
  const { Items: stored = [] } = await client.send(new ScanCommand({ TableName }));
  const counts = new Map(stored.map((item) => [item['pk']?.S, Number(item['n']?.N)]));
  for (const [id, count] of acknowledged) expect(counts.get(id) ?? 0).toBeGreaterThanOrEqual(count);
  const state = new Map<string, ItemImage | null>();
  const records = dynamo.log.read(0, 10_000);
  for (const [index, record] of records.entries()) {
    const id = JSON.stringify(record.key);
    expect(record.sequence).toBe(index + 1);
    expect(record.old).toEqual(state.get(id) ?? null);
    state.set(id, record.new);
  }
  expect(new Set([...state.values()].map((item) => JSON.stringify(item)))).toEqual(
    new Set(stored.map((item) => JSON.stringify(item))),
  );
  client.destroy();
  await dynamo.stop();
  expect(failures).toEqual([]);
}

test('a kill at any byte of the log loses no acknowledged write, and no change without its record', async () => {
  const whole = killedAfter(Number.POSITIVE_INFINITY);
  const calm = await start(join(directory.path, 'calm'), [], whole);
  const calmClient = clientOf(calm);
  await countUp(calmClient, 7);
  calmClient.destroy();
  await calm.stop();
  for (const room of offsets(whole.written(), 12)) {
    const dataDir = join(directory.path, String(room));
    const failures: string[] = [];
    const dynamo = await start(dataDir, failures, killedAfter(room)).catch(() => null);
    let acknowledged = new Map<string, number>();
    if (dynamo !== null) {
      const client = clientOf(dynamo);
      acknowledged = await countUp(client, 7);
      client.destroy();
      await dynamo.stop();
    }
    if (room < whole.written()) {
      expect(failures).toEqual([
        expect.stringMatching(/dynamodb.*ENOSPC.*Nothing that was acknowledged is lost/),
      ]);
    }
    await expectWhole(dataDir, acknowledged);
  }
});

test('after a record could not be written, nothing shows the item that the engine has made already', async () => {
  const failures: string[] = [];
  const disk = killedAfter(2_000);
  const dynamo = await start(directory.path, failures, disk);
  const client = clientOf(dynamo);
  const Key = { pk: { S: 'k0' }, sk: { S: 'it' } };
  await countUp(client, 60);
  expect(failures).toHaveLength(1);
  for (const read of [new GetItemCommand({ TableName, Key }), new ScanCommand({ TableName })])
    await expect(client.send(read as GetItemCommand)).rejects.toThrow('ENOSPC');
  client.destroy();
  await dynamo.stop();
});

test('a real disk that is full stops the writes, and with room it goes on where it was', async (context) => {
  const path = join(directory.path, 'small');
  const disk = mountSmallDisk(path, '128k');
  if (disk === null) {
    context.skip();
    return;
  }
  try {
    const failures: string[] = [];
    const dynamo = await start(path, failures);
    const client = clientOf(dynamo);
    const acknowledged = await countUp(client, 1_500);
    client.destroy();
    expect(failures[0]).toMatch(/ENOSPC|no space|died/i);
    await dynamo.stop().catch(() => {});
    disk.resize('8m');
    expect(acknowledged.size).toBe(3);
    await expectWhole(path, acknowledged);
  } finally {
    disk.remove();
  }
});
