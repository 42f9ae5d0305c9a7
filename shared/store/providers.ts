import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Cooling, marked, type ProviderMark } from '../cascade/cooling.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { keyOf, RevisedItems } from './revised-items.ts';

/** Days after which a provider is forgotten that nobody meets trouble with. */
const KEPT_DAYS = 7;

/** How providers of models fare, one item for each: what one task has met, all others go by. */
export class ProviderStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
    this.#items = new RevisedItems(db, table);
  }

  /** Counts what an attempt says, once. */
  met(mark: ProviderMark): Promise<void> {
    const { provider } = mark;
    return this.#items.revise(keyOf(ITEM_PREFIX.provider, provider), `provider ${provider}`, (item) => {
      const before = item && Cooling.parse(item);
      const after = marked(before, mark);
      const ttl = Math.floor(Date.parse(mark.at) / 1_000) + KEPT_DAYS * 86_400;
      return { fields: after === before ? null : { ...after, [TABLE.ttl]: ttl }, result: undefined };
    });
  }

  /** All that trouble was met with, as they stand. */
  async coolings(): Promise<Cooling[]> {
    const { Items = [] } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': TABLE.pk },
        ExpressionAttributeValues: { ':pk': ITEM_PREFIX.provider },
      }),
    );
    return Items.map((item) => Cooling.parse(item));
  }
}
