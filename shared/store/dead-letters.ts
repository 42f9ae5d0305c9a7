import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_KEY_PREFIXES, TABLE_INDEXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { RetryQueue } from '../control/dead-letters/dead-letter.ts';
import { isOpenStatus } from '../control/dead-letters/letter-status.ts';
import {
  CLOSED_LETTER_RETENTION_DAYS,
  EMPTY_RETRY_QUEUE,
  queueNextRetryAt,
} from '../control/dead-letters/retry-queue.ts';
import { ttlAfterDays } from './ttl.ts';
import { itemKey, VersionedItems } from './versioned-items.ts';

const { name: INDEX, pk: INDEX_PK, sk: INDEX_SK } = TABLE_INDEXES.byDeadline;
/** Of the index; the reconciler looks at other ones. */
const PARTITION = 'dead-letters';
const DUE_AT_A_TIME = 50;
/** Where one stands that waits for a person. */
const NEVER = '9999-12-31T23:59:59.999Z';
/** Lanes that are counted at most. */
const COUNTED = 100;

export interface DeadLetterGroupPage {
  readonly groups: readonly RetryQueue[];
  /** Name of the last lane, where there are more. */
  readonly after: string | null;
}

const fieldsOf = (name: string, lane: RetryQueue, now: Date): Record<string, unknown> => {
  const at = queueNextRetryAt(lane);
  const isClosed = lane.letters.every(({ status }) => !isOpenStatus(status));
  return {
    ...lane,
    ...(!isClosed && { [INDEX_PK]: PARTITION, [INDEX_SK]: `${at ?? NEVER}#${name}` }),
    ...(isClosed && { [TABLE_KEYS.ttl]: ttlAfterDays(CLOSED_LETTER_RETENTION_DAYS, now) }),
  };
};

/** Operations that have failed for good: an item for each task, or each other thing, so that one conditional write keeps their order. */
export class DeadLetterStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #items: VersionedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
    this.#items = new VersionedItems(db, table);
  }

  async readGroup(name: string): Promise<RetryQueue> {
    const item = await this.#items.get(itemKey(ITEM_KEY_PREFIXES.deadLetter, name));
    return item ? RetryQueue.parse(item) : EMPTY_RETRY_QUEUE;
  }

  /** Changes a lane under the condition that it is as it was read. `change` answers null where there is nothing to change. */
  updateGroup(name: string, now: Date, change: (lane: RetryQueue) => RetryQueue | null): Promise<RetryQueue> {
    return this.#items.update(
      itemKey(ITEM_KEY_PREFIXES.deadLetter, name),
      `dead letters of ${name}`,
      (item) => {
        const present = item ? RetryQueue.parse(item) : EMPTY_RETRY_QUEUE;
        const next = change(present);
        return { fields: next && fieldsOf(name, next, now), result: next ?? present };
      },
    );
  }

  /** All lanes, by name. */
  async listGroups(limit: number, after: string | null): Promise<DeadLetterGroupPage> {
    const page = await this.#items.listPartition(ITEM_KEY_PREFIXES.deadLetter, { limit, after });
    return { groups: page.items.map((item) => RetryQueue.parse(item)), after: page.after };
  }

  /** In how many lanes something is open; counts no further than 100. */
  async countOpenGroups(): Promise<number> {
    const { Count = 0 } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: INDEX,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': INDEX_PK },
        ExpressionAttributeValues: { ':pk': PARTITION },
        Select: 'COUNT',
        Limit: COUNTED,
      }),
    );
    return Count;
  }

  /** Names of the lanes in which something is due, the most overdue first. */
  async listDueGroups(now: Date): Promise<string[]> {
    const { Items = [] } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: INDEX,
        KeyConditionExpression: '#pk = :pk AND #sk < :until',
        ExpressionAttributeNames: { '#pk': INDEX_PK, '#sk': INDEX_SK },
        // "$" comes after "#": all that is due in this very millisecond is in.
        ExpressionAttributeValues: { ':pk': PARTITION, ':until': `${now.toISOString()}$` },
        Limit: DUE_AT_A_TIME,
      }),
    );
    return Items.map((item) => String(item[INDEX_SK])).map((rank) => rank.slice(rank.indexOf('#') + 1));
  }
}
