import { createRequire } from 'node:module';
import type { AwsJsonAnswer } from '../http/aws-json.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import type { ItemImage } from './item-image.ts';

/**
 * The parts of dynalite, without its HTTP server: between two threads of one process, HTTP takes longer than
 * the engine. The version is pinned exactly, because these are internals.
 */
interface Store {
  readonly lifecycleManager: { gracefulClose(done: (error?: Error | null) => void): void };
  getTable(name: string, done: (error: unknown, table?: TableDescription) => void): void;
  getItemDb(table: string): KeyValueStore;
  getIndexDb(type: string, table: string, index: string): KeyValueStore;
}
type Done = (error?: unknown) => void;
interface KeyValueStore {
  batch(puts: readonly Put[], done: Done): void;
}
interface Put {
  readonly type: 'put';
  readonly key: string;
  readonly value: ItemImage | string;
  /** Absent: JSON, of a value that is no text yet. */
  readonly valueEncoding?: 'utf8';
}
interface TableDescription {
  readonly TableName: string;
  readonly LocalSecondaryIndexes?: unknown;
  readonly GlobalSecondaryIndexes?: unknown;
}
interface IndexPut {
  readonly index: string;
  readonly key: string;
  readonly item: ItemImage;
}
interface Database {
  create(options: object): Store;
  createKey(item: ItemImage, table: TableDescription): string;
  getIndexActions(
    indexes: unknown,
    old: null,
    item: ItemImage,
    table: TableDescription,
  ): { puts: IndexPut[] };
}
interface Validations {
  checkTypes(data: unknown, types: unknown): unknown;
  checkValidations(data: unknown, types: unknown, custom: unknown, store: Store): void;
}
type Action = (store: Store, data: unknown, done: (error: unknown, data?: unknown) => void) => void;
interface Refusal {
  readonly statusCode: number;
  readonly body: UnknownRecord;
}

/** All operations of dynalite. */
const OPERATIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'ListTables',
  'ListTagsOfResource',
  'PutItem',
  'Query',
  'Scan',
  'TagResource',
  'UntagResource',
  'UpdateItem',
  'UpdateTable',
] as const;

const load = createRequire(import.meta.url);
const part = <T>(path: string): T => load(`dynalite/${path}`) as T;

/** Returns the error if it is an answer for the client, or null. */
const refusalIn = (error: unknown): Refusal | null =>
  isRecord(error) && typeof error['statusCode'] === 'number' ? (error as unknown as Refusal) : null;

export interface Dynalite {
  /**
   * Puts items, given as JSON and parsed, into an empty table and its indexes, without the checks of a
   * request.
   */
  load(table: string, texts: readonly string[], items: readonly ItemImage[], done: Done): void;
  /** @param answer is called once. An error of the engine itself becomes an uncaught exception. */
  call(operation: string, data: unknown, answer: (answer: AwsJsonAnswer) => void): void;
  close(done: (error?: Error | null) => void): void;
}

/** Creates an engine without tables, which keeps them in memory. */
export function createDynalite(): Dynalite {
  const database = part<Database>('db');
  const store = database.create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const validations = part<Validations>('validations');
  const operations = new Map(
    OPERATIONS.map((name) => {
      const file = name.charAt(0).toLowerCase() + name.slice(1);
      const { types, custom } = part<{ types: unknown; custom: unknown }>(`validations/${file}`);
      return [name as string, { types, custom, act: part<Action>(`actions/${file}`) }];
    }),
  );
  function indexPuts(table: TableDescription, item: ItemImage) {
    return (['Local', 'Global'] as const).flatMap((type) => {
      const { puts } = database.getIndexActions(table[`${type}SecondaryIndexes`] ?? [], null, item, table);
      return puts.map(({ index, key, item: value }) => {
        const put: Put = { type: 'put', key, value };
        return { store: store.getIndexDb(type, table.TableName, index), put };
      });
    });
  }
  return {
    load(name, texts, items, done) {
      store.getTable(name, (error, table) => {
        if (error || !table) return done(error);
        const itemStore = store.getItemDb(name);
        const itemPuts = items.map((item, index): Put => {
          const value = texts[index] ?? '';
          return { type: 'put', key: database.createKey(item, table), value, valueEncoding: 'utf8' };
        });
        const batches = new Map([[itemStore, itemPuts]]);
        for (const { store: target, put } of items.flatMap((item) => indexPuts(table, item)))
          batches.get(target)?.push(put) ?? batches.set(target, [put]);
        let left = batches.size;
        for (const [target, puts] of batches)
          target.batch(puts, (failed) => {
            left -= 1;
            if (failed) throw failed;
            if (left === 0) done();
          });
      });
    },
    call(operation, data, answer) {
      const known = operations.get(operation);
      if (!known)
        return answer({
          status: 400,
          body: { __type: 'com.amazon.coral.service#UnknownOperationException' },
        });
      const refuse = (error: unknown): void => {
        const refusal = refusalIn(error);
        if (!refusal) throw error;
        answer({ status: refusal.statusCode, body: refusal.body });
      };
      let checked: unknown;
      try {
        checked = validations.checkTypes(data, known.types);
        validations.checkValidations(checked, known.types, known.custom, store);
      } catch (error) {
        return refuse(error);
      }
      known.act(store, checked, (error, body) => {
        if (error) refuse(error);
        else answer({ status: 200, body: isRecord(body) ? body : {} });
      });
    },
    close: (done) => store.lifecycleManager.gracefulClose(done),
  };
}
