import { join } from 'node:path';
import { createEngineAccessRule, type EngineCredentials } from '../engine-credentials.ts';
import { createExternalEngine, type EngineThread, startEngineThread } from '../engine-thread.ts';
import { type AwsJsonClient, createAwsJsonClient } from '../http/aws-json.ts';
import { isRecord } from '../resource-properties.ts';
import type { OperationCounters, ResolvedResource, Stoppable } from '../shared-types.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import { createUpdateLimitCheck } from './dry-run-update.ts';
import { createEngineClient, type EngineAnswer, type EngineClient } from './engine-client.ts';
import { computeItemExpiry, createExpiryIndex, type ExpiryIndex } from './expiry-index.ts';
import { getItemKey, type ItemImage, isSameImage } from './item-image.ts';
import { createItemWriter } from './item-writer.ts';
import { startStreamProxy } from './stream-proxy.ts';
import { createTables, readTableSpecs, type TableSpec } from './tables.ts';
import { startExpiredItemRemover } from './time-to-live.ts';
import {
  openWriteAheadLog,
  type StoredItem,
  type WriteAheadLog,
  type WriteAheadLogOptions,
} from './write-ahead-log/index.ts';

export interface DynamoOptions {
  /** Holds the write-ahead log; survives a kill. */
  readonly dataDir: string;
  readonly resources: readonly ResolvedResource[];
  readonly counters: OperationCounters;
  /** What clients must sign with. */
  readonly credentials: EngineCredentials;
  /** Tried first, so that the endpoint stays the same after a restart. */
  readonly port?: number;
  /** Endpoint of another engine that is used in place of the embedded one. */
  readonly engine?: string | undefined;
  readonly log?: Pick<WriteAheadLogOptions, 'calls' | 'segmentBytes'>;
  onFailure(error: Error): void;
  onError(message: string): void;
}

const HOW_TO_CONTINUE =
  'Make room on the disk and start again on the same folder: work goes on where it was.';

export interface Dynamo extends Stoppable {
  /** Endpoint for SDK clients. */
  readonly endpoint: string;
  readonly port: number;
  readonly tables: readonly TableSpec[];
  readonly log: WriteAheadLog;
  /** Removes expired items now. Returns how many items it looked at. */
  sweep(): Promise<number>;
}

export const DYNAMODB_TARGET_PREFIX = 'DynamoDB_20120810';

/**
 * Starts DynamoDB: the engine, the tables of the template with the items of the log, and the endpoint in
 * front.
 */
export async function startDynamo(options: DynamoOptions): Promise<Dynamo> {
  const started: Stoppable[] = [];
  try {
    return await startParts(options, started);
  } catch (error) {
    for (const part of started.toReversed()) await part.stop();
    throw error;
  }
}

async function startParts(options: DynamoOptions, started: Stoppable[]): Promise<Dynamo> {
  const { counters, credentials, onError, port = 0 } = options;
  const starting =
    options.engine === undefined ? startDynalite(options) : useExternalEngine(options.engine, credentials);
  // The log is read while the engine starts in its thread. `await starting` throws the engine's error.
  starting.catch(() => {});
  let log: WriteAheadLog;
  try {
    log = openLog(options);
    started.push({ stop: () => log.close() });
  } finally {
    started.push(await starting);
  }
  const { client, load } = await starting;
  const tables = readTableSpecs(options.resources);
  await createTables(client, tables);
  const logged = log.takeItems();
  const expiries = new Map<string, ExpiryIndex>();
  for (const table of tables) {
    const index = createExpiryIndex();
    expiries.set(table.name, index);
    const items = logged.get(table.name) ?? [];
    await (load === null
      ? logDifferences(client, table, items, log, index)
      : loadItems(load, table, items, index));
  }
  const dryRun = load === null ? null : createUpdateLimitCheck(client);
  const writer = createItemWriter({ engine: client, log, counters, dryRun, expiries });
  const proxy = await startStreamProxy({
    engine: client,
    writer,
    tables,
    counters,
    port,
    rule: createEngineAccessRule(credentials),
  });
  const timeToLive = startExpiredItemRemover({ expiries, writer, tables, onError });
  return {
    endpoint: proxy.url,
    port: proxy.port,
    tables,
    log,
    sweep: () => timeToLive.sweep(),
    async stop() {
      await timeToLive.stop();
      await proxy.stop();
      await writer.idle();
      client.close();
      for (const part of started.toReversed()) await part.stop();
    },
  };
}

function openLog({ dataDir, log, onError, onFailure }: DynamoOptions): WriteAheadLog {
  return openWriteAheadLog(join(dataDir, 'dynamodb'), {
    ...log,
    onNotice: onError,
    // The tables in memory may be ahead of the log, and only the next start can tell: so the stack ends.
    onBroken: (error) =>
      onFailure(
        new Error(`${error.message}. Nothing that was acknowledged is lost. ${HOW_TO_CONTINUE}`, {
          cause: error,
        }),
      ),
  });
}

/** The engine, and how it is called. */
interface CalledEngine extends Stoppable {
  readonly client: AwsJsonClient;
  /** Null for an engine that keeps its tables itself. */
  readonly load: EngineClient['load'] | null;
}

async function useExternalEngine(url: string, credentials: EngineCredentials): Promise<CalledEngine> {
  const { endpoint, stop } = createExternalEngine(url);
  return { client: createAwsJsonClient(endpoint, DYNAMODB_TARGET_PREFIX, credentials), load: null, stop };
}

async function startDynalite({ onFailure }: DynamoOptions): Promise<CalledEngine> {
  // The client is used only after the thread has started.
  let thread: EngineThread | null = null;
  const client = createEngineClient((call) => thread?.post(call));
  thread = await startEngineThread({
    name: 'DynamoDB',
    script: new URL('./engine-worker.ts', import.meta.url),
    data: null,
    env: { AWS_REGION: LOCAL_REGION, AWS_ACCOUNT_ID: LOCAL_ACCOUNT_ID },
    onFailure,
    onMessage: (message) => client.receive(message as EngineAnswer),
  });
  return { client, load: client.load, stop: thread.stop };
}

/** Items that are loaded with one message. */
const LOADED_ITEMS = 500;

/**
 * Loads the items of the log into a table that is empty. @throws Error if they have other keys than the
 * table.
 */
async function loadItems(
  load: EngineClient['load'],
  table: TableSpec,
  logged: readonly StoredItem[],
  expiries: ExpiryIndex,
): Promise<void> {
  const [first] = logged;
  if (first !== undefined && !isSameImage(getItemKey(JSON.parse(first.item), table.keyNames), first.key))
    throw new Error(`table ${table.name} was made with other keys: use another data directory`);
  const loading: Promise<void>[] = [];
  for (let from = 0; from < logged.length; from += LOADED_ITEMS) {
    const items = logged.slice(from, from + LOADED_ITEMS);
    const { name, ttlAttribute } = table;
    loading.push(
      load(
        { table: name, ttlAttribute },
        items.map(({ item }) => item),
      ).then((seconds) => {
        for (const [index, { key }] of items.entries()) expiries.set(key, seconds[index] ?? null);
      }),
    );
  }
  await Promise.all(loading);
}

/**
 * Logs the differences between an external engine, which keeps its tables itself, and the log: changes for
 * which the stack was killed between the write and its record.
 */
async function logDifferences(
  engine: AwsJsonClient,
  table: TableSpec,
  logged: readonly StoredItem[],
  log: WriteAheadLog,
  expiries: ExpiryIndex,
): Promise<void> {
  const left = new Map(logged.map((known) => [JSON.stringify(known.key), known]));
  const append = (key: ItemImage, before: StoredItem | undefined, item: ItemImage | null): void => {
    const old = before === undefined ? null : (JSON.parse(before.item) as ItemImage);
    if (isSameImage(old, item)) return;
    log.append({ table: table.name, at: Date.now(), key, old, new: item, byService: false });
  };
  for (let start: unknown, isFirst = true; isFirst || start !== undefined; isFirst = false) {
    const page = await engine.callOrThrow('Scan', {
      TableName: table.name,
      ConsistentRead: true,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    for (const item of Array.isArray(page['Items']) ? (page['Items'] as ItemImage[]) : []) {
      const key = getItemKey(item, table.keyNames);
      if (key === null) continue;
      const name = JSON.stringify(key);
      append(key, left.get(name), item);
      left.delete(name);
      expiries.set(key, computeItemExpiry(table.ttlAttribute, item));
    }
    start = isRecord(page['LastEvaluatedKey']) ? page['LastEvaluatedKey'] : undefined;
  }
  for (const known of left.values()) append(known.key, known, null);
}
