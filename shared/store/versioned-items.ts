import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Refusal } from '../contract/refusal.ts';
import { TABLE_KEYS } from '../contract/resource-names.ts';

export type TableItem = Readonly<Record<string, unknown>>;
/** Of an item: its two keys. */
export const itemKey = (pk: string, sk: string): TableItem => ({ [TABLE_KEYS.pk]: pk, [TABLE_KEYS.sk]: sk });

/** What becomes of an item, and what the change answers; null fields: the item stays as it is. */
export interface ItemUpdate<R> {
  readonly fields: TableItem | null;
  readonly result: R;
}

const MAX_RACES = 50;

/** Items of which each is written under the condition that it is as it was read. */
export class VersionedItems {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async get(Key: TableItem): Promise<TableItem | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: { ...Key }, ConsistentRead: true }),
    );
    return Item ?? null;
  }

  /**
   * Items of one partition by their sort key, one page.
   * @param limit most of them. @param after the sort key that the page begins behind.
   */
  async listPartition(
    pk: string,
    { limit, after }: { readonly limit?: number; readonly after?: string | null } = {},
  ): Promise<{ readonly items: readonly TableItem[]; readonly after: string | null }> {
    const { Items = [], LastEvaluatedKey } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.pk },
        ExpressionAttributeValues: { ':pk': pk },
        ...(limit !== undefined && { Limit: limit }),
        ...(after != null && { ExclusiveStartKey: itemKey(pk, after) }),
      }),
    );
    const last = LastEvaluatedKey?.[TABLE_KEYS.sk];
    return { items: Items, after: last === undefined ? null : String(last) };
  }

  /** False when the item has moved on from `revision`. */
  async #put(key: TableItem, fields: TableItem, revision: number): Promise<boolean> {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#table,
          Item: { ...fields, ...key, revision: revision + 1 },
          ConditionExpression: 'attribute_not_exists(#revision) OR #revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /**
   * Revises an item, however many change it at once. `change` may be asked again, of the item as it is then.
   * @param what as the refusal names it. @throws Refusal when it changes too fast.
   */
  async update<R>(
    key: TableItem,
    what: string,
    change: (present: TableItem | null) => ItemUpdate<R> | Promise<ItemUpdate<R>>,
  ): Promise<R> {
    for (let race = 0; race < MAX_RACES; race++) {
      const present = await this.get(key);
      const { fields, result } = await change(present);
      if (fields === null || (await this.#put(key, fields, Number(present?.['revision'] ?? 0))))
        return result;
    }
    throw new Refusal('busy', `${what} changes too fast; try again`);
  }
}
