import type { AwsJsonAnswer, AwsJsonClient } from '../http/aws-json.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import type { OperationCounters } from '../shared-types.ts';
import { computeWriteRequestUnits } from './capacity.ts';
import type { UpdateLimitCheck } from './dry-run-update.ts';
import { computeItemExpiry, type ExpiryIndex } from './expiry-index.ts';
import { getItemKey, hasCanonicalNumbers, type ItemImage, isSameImage } from './item-image.ts';
import { checkItemLimits, checkKeySize } from './item-limits.ts';
import type { ItemWrite, WriteOperation } from './item-write.ts';
import { createKeyedMutex } from './key-locks.ts';
import type { TableSpec } from './tables.ts';
import type { WriteAheadLog } from './write-ahead-log/index.ts';

/** Writes single items, one after another per key, and logs each change before it is acknowledged. */
export interface ItemWriter {
  write(
    table: TableSpec,
    operation: WriteOperation,
    request: UnknownRecord,
    byService?: boolean,
  ): Promise<AwsJsonAnswer>;
  /**
   * Resolves when the writes are logged that the engine may have made by now, of the item with this key, or
   * of any item. A reader waits for it, so that it sees nothing that a kill could take back. @throws
   * FileWriteError if the log is broken.
   */
  whenLogged(table?: TableSpec, key?: ItemImage): Promise<void>;
  idle(): Promise<void>;
}

interface WriterOptions {
  readonly engine: AwsJsonClient;
  readonly log: Pick<WriteAheadLog, 'append' | 'assertWritable'>;
  readonly counters: OperationCounters;
  /** Null when the engine itself enforces DynamoDB's limits. */
  readonly dryRun: UpdateLimitCheck | null;
  /** By the name of the table. */
  readonly expiries: ReadonlyMap<string, ExpiryIndex>;
  readonly now?: () => number;
}

/** Number of items that are cached, so that a write need not read them first. */
const CACHED_ITEMS = 2_000;
const TOO_LARGE = 'Item size has exceeded the maximum allowed size';
const CONDITION_FAILED = 'ConditionalCheckFailedException';

const validation = (message: string): AwsJsonAnswer => ({
  status: 400,
  body: { __type: 'com.amazon.coral.validate#ValidationException', message },
});

const imageOf = (value: unknown): ItemImage | null => (isRecord(value) ? value : null);
const lockName = (table: TableSpec, key: ItemImage): string => `${table.name} ${JSON.stringify(key)}`;

export function createItemWriter(options: WriterOptions): ItemWriter {
  const { engine, log, counters, dryRun, expiries, now = Date.now } = options;
  const locks = createKeyedMutex();
  /** By key, the oldest first. Nothing else writes to the engine, so the cache cannot be stale. */
  const cache = new Map<string, ItemImage | null>();
  /** Writes that the engine may have made and that are not logged yet, by key. */
  const unlogged = new Map<string, Promise<unknown>>();

  function remember(name: string, item: ItemImage | null): void {
    cache.delete(name);
    cache.set(name, item);
    const [oldest] = cache.keys();
    if (cache.size > CACHED_ITEMS && oldest !== undefined) cache.delete(oldest);
  }

  const read = (TableName: string, Key: ItemImage): Promise<AwsJsonAnswer> =>
    engine.call('GetItem', { TableName, Key, ConsistentRead: true });

  /** The item after a write that succeeded. The key is locked, so a read sees just this write. */
  async function itemAfter(
    write: ItemWrite,
    sent: UnknownRecord,
    answer: AwsJsonAnswer,
  ): Promise<ItemImage | null> {
    if (write.operation === 'DeleteItem') return null;
    const item = imageOf(write.request['Item']);
    if (write.operation === 'PutItem' && hasCanonicalNumbers(item)) return item;
    if (sent['ReturnValues'] === 'ALL_NEW') return imageOf(answer.body['Attributes']);
    const { status, body } = await read(write.table.name, write.key);
    if (status >= 400) throw new Error(`an item could not be read: ${JSON.stringify(body)}`);
    return imageOf(body['Item']);
  }

  async function perform(write: ItemWrite): Promise<AwsJsonAnswer> {
    const { table, key, old, byService } = write;
    const name = lockName(table, key);
    const sent = engineRequest(write);
    cache.delete(name);
    const answer = await engine.call(write.operation, sent);
    const isWritten = answer.status < 400;
    const item = isWritten ? await itemAfter(write, sent, answer) : old;
    if (!isSameImage(old, item)) log.append({ table: table.name, at: now(), key, old, new: item, byService });
    expiries.get(table.name)?.set(key, computeItemExpiry(table.ttlAttribute, item));
    remember(name, item);
    const isConditionFailed = String(answer.body['__type']).endsWith(CONDITION_FAILED);
    const units =
      isWritten || isConditionFailed ? computeWriteRequestUnits(old, item, table.keyNames, table.indexes) : 0;
    if (!byService) counters.add('DynamoDB', 'WriteUnits', units);
    return clientAnswer(write, answer, item, units);
  }

  return {
    async write(table, operation, request, byService = false) {
      log.assertWritable();
      const key = getItemKey(operation === 'PutItem' ? request['Item'] : request['Key'], table.keyNames);
      if (key === null)
        return validation(`The key element ${table.keyNames.join(', ')} is missing in the request`);
      if (!hasCanonicalNumbers(key))
        return validation('A number in a key must be written in its shortest form');
      const item = operation === 'PutItem' ? imageOf(request['Item']) : null;
      const refused = item === null ? checkKeySize(table, key) : checkItemLimits(table, item, TOO_LARGE);
      if (refused !== null) return validation(refused);
      const name = lockName(table, key);
      return locks.run(name, async () => {
        log.assertWritable();
        if (!cache.has(name)) {
          const known = await read(table.name, key);
          if (known.status >= 400) return known;
          remember(name, imageOf(known.body['Item']));
        }
        const old = cache.get(name) ?? null;
        const write: ItemWrite = { table, operation, request, key, old, byService };
        const refusal = operation === 'UpdateItem' ? await dryRun?.refusal(write) : null;
        if (typeof refusal === 'string') return validation(refusal);
        const performed = perform(write);
        unlogged.set(name, performed);
        try {
          return await performed;
        } finally {
          unlogged.delete(name);
        }
      });
    },
    async whenLogged(table, key) {
      const isOne = table !== undefined && key !== undefined;
      await Promise.allSettled(isOne ? [unlogged.get(lockName(table, key))] : unlogged.values());
      log.assertWritable();
    },
    idle: () => locks.idle(),
  };
}

/**
 * The request for the engine, which does not know all parameters. The writer needs the new item in the
 * answer.
 */
function engineRequest({ operation, request: asked }: ItemWrite): UnknownRecord {
  const { ReturnValuesOnConditionCheckFailure: _, ReturnItemCollectionMetrics: __, ...request } = asked;
  const wanted = request['ReturnValues'] ?? 'NONE';
  const isReplaceable = operation === 'UpdateItem' && ['NONE', 'ALL_OLD'].includes(String(wanted));
  return isReplaceable ? { ...request, ReturnValues: 'ALL_NEW' } : request;
}

/** The answer that AWS would give to the request as the client sent it. */
function clientAnswer(
  { request, old }: ItemWrite,
  answer: AwsJsonAnswer,
  item: ItemImage | null,
  units: number,
): AwsJsonAnswer {
  if (answer.status >= 400) {
    const wanted = request['ReturnValuesOnConditionCheckFailure'] === 'ALL_OLD' && old !== null;
    const failed = String(answer.body['__type']).endsWith(CONDITION_FAILED);
    return wanted && failed ? { ...answer, body: { ...answer.body, Item: old } } : answer;
  }
  const { Attributes: attributes, ConsumedCapacity: _, ...body } = answer.body;
  const returned: Readonly<Record<string, unknown>> = {
    ALL_OLD: old ?? undefined,
    ALL_NEW: item ?? undefined,
    UPDATED_OLD: attributes,
    UPDATED_NEW: attributes,
  };
  const Attributes = returned[String(request['ReturnValues'])];
  const asked = ['TOTAL', 'INDEXES'].includes(String(request['ReturnConsumedCapacity']));
  return {
    status: answer.status,
    body: {
      ...body,
      ...(Attributes === undefined ? {} : { Attributes }),
      ...(asked ? { ConsumedCapacity: { TableName: request['TableName'], CapacityUnits: units } } : {}),
    },
  };
}
