import type { AwsJsonAnswer, AwsJsonClient } from '../http/aws-json.ts';
import type { Counters } from '../ports.ts';
import { isRecord, type Json } from '../properties.ts';
import { writeUnits } from './capacity.ts';
import type { Expiries } from './expiries.ts';
import { type Image, isNormal, keyOf, sameImage } from './image.ts';
import type { Intent, Journal, WriteOperation } from './journal.ts';
import { keyLocks } from './key-locks.ts';
import { refuseItem, refuseKeys } from './limits.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { TableSpec } from './tables.ts';

/** Writes single items, one after another per key, and journals each change. */
export interface Writer {
  write(
    table: TableSpec,
    operation: WriteOperation,
    request: Json,
    byService?: boolean,
  ): Promise<AwsJsonAnswer>;
  /** Ends the writes that a kill has interrupted. To be called before anything else is written. */
  recover(tables: readonly TableSpec[]): Promise<void>;
  idle(): Promise<void>;
}

interface Performed {
  readonly answer: AwsJsonAnswer;
  /** The item as it stands now. */
  readonly item: Image | null;
}

interface WriterOptions {
  readonly engine: AwsJsonClient;
  readonly journal: Journal;
  readonly counters: Counters;
  /** Null when the engine itself keeps to DynamoDB's limits. */
  readonly rehearsal: Rehearsal | null;
  readonly expiries: Pick<Expiries, 'written'>;
  readonly now?: () => number;
}

/** Items that are remembered as they stand, so that a write need not read them first. */
const REMEMBERED = 2_000;
const TOO_LARGE = 'Item size has exceeded the maximum allowed size';
const CONDITION_FAILED = 'ConditionalCheckFailedException';

const validation = (message: string): AwsJsonAnswer => ({
  status: 400,
  body: { __type: 'com.amazon.coral.validate#ValidationException', message },
});

const imageOf = (value: unknown): Image | null => (isRecord(value) ? value : null);

export function createWriter(options: WriterOptions): Writer {
  const { engine, journal, counters, rehearsal, expiries, now = Date.now } = options;
  const locks = keyLocks();
  /** By key, the oldest first. Nobody else writes to the engine, so what was written last is what is there. */
  const current = new Map<string, Image | null>();

  function remember(name: string, item: Image | null): void {
    current.delete(name);
    current.set(name, item);
    const [oldest] = current.keys();
    if (current.size > REMEMBERED && oldest !== undefined) current.delete(oldest);
  }

  const read = (TableName: string, Key: Image): Promise<AwsJsonAnswer> =>
    engine.call('GetItem', { TableName, Key, ConsistentRead: true });

  async function get(table: string, key: Image): Promise<Image | null> {
    const { status, body } = await read(table, key);
    if (status >= 400) throw new Error(`an item could not be read: ${JSON.stringify(body)}`);
    return imageOf(body['Item']);
  }

  /** The item after a write that succeeded. The key is locked, so a read sees just this write. */
  async function after(intent: Intent, sent: Json, answer: AwsJsonAnswer): Promise<Image | null> {
    if (intent.operation === 'DeleteItem') return null;
    const item = imageOf(intent.request['Item']);
    if (intent.operation === 'PutItem' && isNormal(item)) return item;
    if (sent['ReturnValues'] === 'ALL_NEW') return imageOf(answer.body['Attributes']);
    return get(intent.table, intent.key);
  }

  /** Ends a write for which the item has come to be as it is. Until then, a kill leaves it to the next start to do this. */
  async function end(table: TableSpec, id: number | null, intent: Intent, item: Image | null): Promise<void> {
    const { key, old, byService } = intent;
    await expiries.written(table, key, old, item);
    if (id === null) return;
    const change = { table: table.name, key, old, new: item, byService, at: now() };
    journal.end(id, sameImage(old, item) ? null : change);
  }

  async function perform(table: TableSpec, id: number | null, intent: Intent): Promise<Performed> {
    const sent = toEngine(intent);
    const answer = await engine.call(intent.operation, sent);
    const written = answer.status < 400;
    const item = written ? await after(intent, sent, answer) : intent.old;
    await end(table, id, intent, item);
    const conditionFailed = String(answer.body['__type']).endsWith(CONDITION_FAILED);
    const units =
      written || conditionFailed ? writeUnits(intent.old, item, table.keyNames, table.indexes) : 0;
    if (!intent.byService) counters.add('DynamoDB', 'WriteUnits', units);
    return { answer: toClient(intent, answer, item, units), item };
  }

  return {
    async write(table, operation, request, byService = false) {
      const key = keyOf(operation === 'PutItem' ? request['Item'] : request['Key'], table.keyNames);
      if (key === null)
        return validation(`The key element ${table.keyNames.join(', ')} is missing in the request`);
      if (!isNormal(key)) return validation('A number in a key must be written in its shortest form');
      const item = operation === 'PutItem' ? imageOf(request['Item']) : null;
      const refused = item === null ? refuseKeys(table, key) : refuseItem(table, item, TOO_LARGE);
      if (refused !== null) return validation(refused);
      const name = `${table.name} ${JSON.stringify(key)}`;
      return locks.run(name, async () => {
        if (!current.has(name)) {
          const known = await read(table.name, key);
          if (known.status >= 400) return known;
          remember(name, imageOf(known.body['Item']));
        }
        const old = current.get(name) ?? null;
        const intent: Intent = { table: table.name, operation, request, key, old, byService };
        const tooFar = operation === 'UpdateItem' ? await rehearsal?.refuse(table, intent) : null;
        if (typeof tooFar === 'string') return validation(tooFar);
        current.delete(name);
        const id = table.stream === null ? null : journal.begin(intent);
        const { answer, item: written } = await perform(table, id, intent);
        remember(name, written);
        return answer;
      });
    },
    async recover(tables) {
      for (const [id, intent] of journal.unfinished) {
        const table = tables.find(({ name }) => name === intent.table);
        if (table === undefined) {
          journal.end(id, null);
          continue;
        }
        const item = await get(intent.table, intent.key);
        // The engine updates its indexes before the item, so an item that has not changed may stand in indexes that
        // have. The same request again, whose condition is evaluated on the same item, makes them agree.
        if (sameImage(item, intent.old)) await perform(table, id, intent);
        else await end(table, id, intent, item);
      }
    },
    idle: () => locks.idle(),
  };
}

/** The request that the engine gets: it does not know all parameters, and the tap needs the new item. */
function toEngine(intent: Intent): Json {
  const {
    ReturnValuesOnConditionCheckFailure: _,
    ReturnItemCollectionMetrics: __,
    ...request
  } = intent.request;
  const wanted = request['ReturnValues'] ?? 'NONE';
  const replaceable = intent.operation === 'UpdateItem' && ['NONE', 'ALL_OLD'].includes(String(wanted));
  return replaceable ? { ...request, ReturnValues: 'ALL_NEW' } : request;
}

/** The answer that AWS would have given to the request as it came. */
function toClient(intent: Intent, answer: AwsJsonAnswer, item: Image | null, units: number): AwsJsonAnswer {
  const { request, old } = intent;
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
