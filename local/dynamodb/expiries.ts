import { createHash } from 'node:crypto';
import type { AwsJsonClient } from '../http/aws-json.ts';
import { isRecord } from '../properties.ts';
import { type Image, keyOf } from './image.ts';
import { createTable, type TableSpec } from './tables.ts';

/** An item that has, or had, a time to live. */
export interface Expiry {
  readonly key: Image;
  /** Where the entry stands among the others. */
  readonly at: string;
}

/**
 * What ends when, in a table of the engine beside each table with a time to live. An entry is there before the write that needs it has
 * ended, and is never moved: where an item was deleted or got another time, its entry means nothing when it is due. So the entries are right
 * after any kill, and nobody looks at an item before its time.
 */
export interface Expiries {
  /** To be called before the write of an item has ended. */
  written(table: TableSpec, key: Image, before: Image | null, after: Image | null): Promise<void>;
  /** Entries that are due, oldest first, at most so many. `now` is in seconds since 1970. */
  due(table: TableSpec, now: number, limit: number): Promise<readonly Expiry[]>;
  forget(table: TableSpec, expiry: Expiry): Promise<void>;
  /** Finds, once in the life of a folder, what was written before there were entries. Answers how many items were read. */
  fill(table: TableSpec): Promise<number>;
}

const nameOf = (table: TableSpec): string => `${table.name}.expiries`;
const ENTRIES = { S: 'entries' };
const FILLED = { pk: { S: 'state' }, sk: { S: 'filled' } };
/** Digits of a time, so that texts are in the order of numbers. */
const DIGITS = 15;

const rank = (seconds: number): string => String(seconds).padStart(DIGITS, '0');

/** The end of an item in seconds since 1970; null where the service would never remove it. */
function endOf(table: TableSpec, item: Image | null): number | null {
  const value = table.ttlAttribute === null ? undefined : item?.[table.ttlAttribute];
  const seconds = isRecord(value) && typeof value['N'] === 'string' ? Math.floor(Number(value['N'])) : null;
  return seconds !== null && seconds >= 0 && seconds < 10 ** DIGITS ? seconds : null;
}

function entry(key: Image, end: number): Image {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('base64url');
  return { pk: ENTRIES, sk: { S: `${rank(end)}#${digest}` }, key: { M: key } };
}

/** Makes the tables of entries where they are not there yet. */
export async function openExpiries(engine: AwsJsonClient, tables: readonly TableSpec[]): Promise<Expiries> {
  for (const table of tables) {
    if (table.ttlAttribute === null) continue;
    await createTable(engine, {
      TableName: nameOf(table),
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  }
  const put = (table: TableSpec, Item: Image) => engine.expect('PutItem', { TableName: nameOf(table), Item });

  return {
    async written(table, key, before, after) {
      const end = endOf(table, after);
      if (end !== null && end !== endOf(table, before)) await put(table, entry(key, end));
    },
    async due(table, now, limit) {
      const { Items: items } = await engine.expect('Query', {
        TableName: nameOf(table),
        KeyConditionExpression: 'pk = :entries AND sk < :now',
        ExpressionAttributeValues: { ':entries': ENTRIES, ':now': { S: rank(now) } },
        Limit: limit,
      });
      return (Array.isArray(items) ? items : []).flatMap((item): Expiry[] => {
        const { key, sk } = item as { key?: { M?: Image }; sk?: { S?: string } };
        return key?.M && sk?.S ? [{ key: key.M, at: sk.S }] : [];
      });
    },
    async forget(table, { at }) {
      await engine.expect('DeleteItem', { TableName: nameOf(table), Key: { pk: ENTRIES, sk: { S: at } } });
    },
    async fill(table) {
      const { Item: filled } = await engine.expect('GetItem', { TableName: nameOf(table), Key: FILLED });
      if (isRecord(filled)) return 0;
      let read = 0;
      let start: unknown;
      do {
        const page = await engine.expect('Scan', {
          TableName: table.name,
          ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        });
        for (const item of Array.isArray(page['Items']) ? page['Items'] : []) {
          read += 1;
          const key = keyOf(item, table.keyNames);
          const end = endOf(table, item);
          if (key !== null && end !== null) await put(table, entry(key, end));
        }
        start = isRecord(page['LastEvaluatedKey']) ? page['LastEvaluatedKey'] : undefined;
      } while (start !== undefined);
      await put(table, FILLED);
      return read;
    },
  };
}
