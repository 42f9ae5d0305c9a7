import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Breaker, type Marked, marked } from '../judging/breaker.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { Refusal } from '../refusal.ts';
import { cut } from '../task/cut.ts';

/** Days for which a model is remembered that brings nothing. */
const KEPT_DAYS = 7;
/** Models that are listed at most: names of models are anybody's words. */
const LISTED = 50;
const MAX_RACES = 20;

const keyOf = (model: string) => ({ [TABLE.pk]: ITEM_PREFIX.breaker, [TABLE.sk]: cut(model, 500) });

/** The circuit breakers of the quality gate, one item for each model that writes. */
export class BreakerStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async #item(model: string): Promise<Record<string, unknown> | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: keyOf(model), ConsistentRead: true }),
    );
    return Item ?? null;
  }

  async read(model: string): Promise<Breaker | null> {
    const item = await this.#item(model);
    return item && Breaker.parse(item);
  }

  /** Counts a mark, once. */
  async mark(model: string, mark: Marked): Promise<void> {
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#item(model);
      const before = item && Breaker.parse(item);
      const after = marked(before, mark);
      if (after === before) return;
      const revision = Number(item?.['revision'] ?? 0);
      try {
        await this.#db.send(
          new PutCommand({
            TableName: this.#table,
            Item: {
              ...keyOf(model),
              ...after,
              revision: revision + 1,
              [TABLE.ttl]: Math.floor(Date.parse(mark.at) / 1_000) + KEPT_DAYS * 86_400,
            },
            ConditionExpression: 'attribute_not_exists(revision) OR revision = :revision',
            ExpressionAttributeValues: { ':revision': revision },
          }),
        );
        return;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    throw new Refusal('busy', `the breaker of ${model} changes too fast; try again`);
  }

  /** Those that have rejected something last, by model. */
  async list(): Promise<(Breaker & { readonly model: string })[]> {
    const { Items = [] } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': TABLE.pk },
        ExpressionAttributeValues: { ':pk': ITEM_PREFIX.breaker },
        Limit: LISTED,
      }),
    );
    return Items.map((item) => ({ ...Breaker.parse(item), model: String(item[TABLE.sk]) })).filter(
      ({ rejected }) => rejected.length > 0,
    );
  }
}
