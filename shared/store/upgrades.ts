import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import type { TaskStatus } from '../contract/task/status.ts';

/** How far an upgrade of stored items has come: all up to here. */
export interface Place {
  readonly status: TaskStatus;
  /** Rank in `by_status` of the last one; null: none yet. */
  readonly after: string | null;
}

/** What was done about the items of earlier versions: an item for each upgrade, so that it is done once. */
export class UpgradeStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  /** Null: it has not begun. */
  async get(name: string): Promise<Place | 'done' | null> {
    const { Item } = await this.#db.send(new GetCommand({ TableName: this.#table, Key: keyOf(name) }));
    if (!Item) return null;
    return (Item['place'] as Place | undefined) ?? 'done';
  }

  async put(name: string, place: Place | 'done'): Promise<void> {
    const Item = { ...keyOf(name), ...(place === 'done' ? {} : { place }) };
    await this.#db.send(new PutCommand({ TableName: this.#table, Item }));
  }
}

const keyOf = (name: string): Record<string, string> => ({
  [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.upgrade}${name}`,
  [TABLE_KEYS.sk]: 'upgrade',
});
