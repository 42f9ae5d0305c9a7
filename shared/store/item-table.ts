import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Refusal } from '../contract/refusal.ts';
import { type TABLE_INDEXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';

/** An item as it is stored, or the keys of one. */
export type TableItem = Readonly<Record<string, unknown>>;

/** Returns the primary key of an item. */
export const itemKey = (pk: string, sk: string): TableItem => ({
  [TASKS_TABLE_KEY_ATTRIBUTES.pk]: pk,
  [TASKS_TABLE_KEY_ATTRIBUTES.sk]: sk,
});

/** A condition of a write, in the expressions of DynamoDB. */
export type WriteCondition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;
/** What an update does to an item, under which condition. */
export type ItemUpdate = Omit<UpdateCommandInput, 'TableName' | 'Key'>;

/** Condition: there is no item under the key. */
export const IF_ITEM_ABSENT: WriteCondition = {
  ConditionExpression: 'attribute_not_exists(#pk)',
  ExpressionAttributeNames: { '#pk': TASKS_TABLE_KEY_ATTRIBUTES.pk },
};

/** One partition of the table or of an index, or a range of it. */
export interface PartitionQuery {
  readonly pk: string;
  /** Without it: the table itself. */
  readonly index?: (typeof TABLE_INDEXES)[keyof typeof TABLE_INDEXES];
  /** Condition on the sort key `#sk`, with its values: `['#sk < :until', { ':until': '…' }]`. */
  readonly range?: readonly [expression: string, values: TableItem] | undefined;
  /** Most items of a page. */
  readonly pageSize?: number | undefined;
  /** The key that the first page begins after. */
  readonly after?: TableItem | null | undefined;
  readonly consistent?: boolean;
  /** False: from the highest sort key to the lowest. Default: ascending. */
  readonly forward?: boolean;
  readonly projection?: string;
}

/** One page of a query; `after` is null on the last one. */
export interface ItemPage {
  readonly items: readonly Record<string, unknown>[];
  readonly after: Record<string, unknown> | null;
}

/** The new fields of a versioned item, and the result of the change; null fields: the item stays as it is. */
export interface VersionedChange<R> {
  readonly fields: TableItem | null;
  readonly result: R;
}

/** How often a versioned item is read again after a lost race. */
const MAX_RACES = 50;
/** Most keys that one BatchGetItem takes. */
const MAX_BATCH_GET = 100;

/** Keys and items of one table. A condition that does not hold is a result here, and no exception. */
export class ItemTable {
  readonly #db: DynamoDBDocumentClient;
  readonly #name: string;

  constructor(db: DynamoDBDocumentClient, name: string) {
    this.#db = db;
    this.#name = name;
  }

  /** Returns an item, read consistently unless told otherwise, or null. */
  async get(key: TableItem, { consistent = true } = {}): Promise<Record<string, unknown> | null> {
    const { Item } = await this.#db.send(
      new GetCommand({
        TableName: this.#name,
        Key: { ...key },
        ...(consistent && { ConsistentRead: true }),
      }),
    );
    return Item ?? null;
  }

  /** Yields the items that exist among `keys`, read consistently, in no order. */
  async *batchGet(keys: readonly TableItem[]): AsyncGenerator<Record<string, unknown>> {
    const left = [...keys];
    while (left.length > 0) {
      const Keys = left.splice(0, MAX_BATCH_GET);
      const answer = await this.#db.send(
        new BatchGetCommand({ RequestItems: { [this.#name]: { Keys, ConsistentRead: true } } }),
      );
      yield* answer.Responses?.[this.#name] ?? [];
      left.push(...(answer.UnprocessedKeys?.[this.#name]?.Keys ?? []));
    }
  }

  async put(item: TableItem): Promise<void> {
    await this.#db.send(new PutCommand({ TableName: this.#name, Item: { ...item } }));
  }

  /** Returns false if the condition does not hold. */
  putIf(item: TableItem, condition: WriteCondition): Promise<boolean> {
    return holds(this.#db.send(new PutCommand({ TableName: this.#name, Item: { ...item }, ...condition })));
  }

  /**
   * Writes an item under a condition.
   * @returns null when it is written; else the present item, or `unknown` if the engine does not return it.
   */
  async putUnlessChanged(item: TableItem, condition: WriteCondition): Promise<TableItem | 'unknown' | null> {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#name,
          Item: { ...item },
          ...condition,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return null;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item ? unmarshall(error.Item as Record<string, AttributeValue>) : 'unknown';
    }
  }

  async update(key: TableItem, update: ItemUpdate): Promise<void> {
    await this.#db.send(new UpdateCommand({ TableName: this.#name, Key: { ...key }, ...update }));
  }

  /** Returns false if the condition of the update does not hold. */
  updateIf(key: TableItem, update: ItemUpdate): Promise<boolean> {
    return holds(this.update(key, update));
  }

  async delete(key: TableItem): Promise<void> {
    await this.#db.send(new DeleteCommand({ TableName: this.#name, Key: { ...key } }));
  }

  /** Returns false if the condition does not hold. */
  deleteIf(key: TableItem, condition: WriteCondition): Promise<boolean> {
    return holds(this.#db.send(new DeleteCommand({ TableName: this.#name, Key: { ...key }, ...condition })));
  }

  /** Returns one page of a partition. */
  async queryPage(query: PartitionQuery): Promise<ItemPage> {
    const { Items = [], LastEvaluatedKey } = await this.#db.send(new QueryCommand(this.#queryInput(query)));
    return { items: Items, after: LastEvaluatedKey ?? null };
  }

  /** Yields the pages of a partition, each requested when the one before it has been consumed. */
  async *queryPages(query: PartitionQuery): AsyncGenerator<ItemPage> {
    let page = await this.queryPage(query);
    yield page;
    while (page.after !== null) {
      page = await this.queryPage({ ...query, after: page.after });
      yield page;
    }
  }

  /** Yields the items of a partition. */
  async *query(query: PartitionQuery): AsyncGenerator<Record<string, unknown>> {
    for await (const { items } of this.queryPages(query)) yield* items;
  }

  /** Returns how many items a partition has, up to the page size of the query. */
  async count(query: PartitionQuery): Promise<number> {
    const { Count = 0 } = await this.#db.send(
      new QueryCommand({ ...this.#queryInput(query), Select: 'COUNT' }),
    );
    return Count;
  }

  #queryInput(query: PartitionQuery): QueryCommandInput {
    const { pk, index, range, pageSize, after, consistent, forward, projection } = query;
    const keys = index ?? TASKS_TABLE_KEY_ATTRIBUTES;
    return {
      TableName: this.#name,
      ...(index && { IndexName: index.name }),
      KeyConditionExpression: range === undefined ? '#pk = :pk' : `#pk = :pk AND ${range[0]}`,
      ExpressionAttributeNames: { '#pk': keys.pk, ...(range && { '#sk': keys.sk }) },
      ExpressionAttributeValues: { ':pk': pk, ...range?.[1] },
      ...(projection !== undefined && { ProjectionExpression: projection }),
      ...(consistent && { ConsistentRead: true }),
      ...(forward !== undefined && { ScanIndexForward: forward }),
      ...(pageSize !== undefined && { Limit: pageSize }),
      ...(after && { ExclusiveStartKey: { ...after } }),
    };
  }

  /** Yields the items of the whole table that pass a filter. Reads all others, too. */
  async *scan(filter: Omit<ScanCommandInput, 'TableName'>): AsyncGenerator<Record<string, unknown>> {
    let after: Record<string, unknown> | undefined;
    do {
      const page = await this.#db.send(
        new ScanCommand({ TableName: this.#name, ...filter, ...(after && { ExclusiveStartKey: after }) }),
      );
      yield* page.Items ?? [];
      after = page.LastEvaluatedKey;
    } while (after);
  }

  /**
   * Changes a versioned item under an optimistic lock: read, compute, write if its `revision` is unchanged. A lost race is computed again,
   * so `change` may be called several times.
   * @param name of the item, for the refusal. @throws Refusal `busy` after too many lost races.
   */
  async updateVersioned<R>(
    key: TableItem,
    name: string,
    change: (present: TableItem | null) => VersionedChange<R> | Promise<VersionedChange<R>>,
  ): Promise<R> {
    for (let race = 0; race < MAX_RACES; race++) {
      const present = await this.get(key);
      const { fields, result } = await change(present);
      if (fields === null) return result;
      const revision = Number(present?.['revision'] ?? 0);
      const isWritten = await this.putIf(
        { ...fields, ...key, revision: revision + 1 },
        {
          ConditionExpression: 'attribute_not_exists(#revision) OR #revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        },
      );
      if (isWritten) return result;
    }
    throw new Refusal('busy', `${name} changes too fast; try again`);
  }
}

/** Resolves to false if the condition of a write does not hold. */
async function holds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
