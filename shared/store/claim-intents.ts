import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';

/** Seconds for which a key of a claim is remembered: longer than any attempt lives. */
const KEPT_SECONDS = 7 * 86_400;

/** Which task a claim with a key is after. Whether it has it, the task says. */
export interface ClaimIntent {
  /** Hash of the request; the same key with another one is refused. */
  readonly request: string;
  readonly task: string;
  /** +1 with every change of mind. */
  readonly version: number;
}

/** Keys of claims: one item each, under the hash of operator and key. */
export class ClaimIntentStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  #key(id: string): Record<string, string> {
    return { [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.claim}${id}`, [TABLE_KEYS.sk]: 'claim' };
  }

  async get(id: string): Promise<ClaimIntent | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: this.#key(id), ConsistentRead: true }),
    );
    return Item
      ? { request: String(Item['request']), task: String(Item['task']), version: Number(Item['version']) }
      : null;
  }

  /** Writes what is meant now in the place of `before`. False when another request with this key has written meanwhile. */
  async put(id: string, intent: ClaimIntent, before: ClaimIntent | null, now: Date): Promise<boolean> {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#table,
          Item: {
            ...this.#key(id),
            ...intent,
            [TABLE_KEYS.ttl]: Math.floor(now.getTime() / 1_000) + KEPT_SECONDS,
          },
          ConditionExpression: before === null ? 'attribute_not_exists(#pk)' : '#version = :version',
          ExpressionAttributeNames: before === null ? { '#pk': TABLE_KEYS.pk } : { '#version': 'version' },
          ...(before === null ? {} : { ExpressionAttributeValues: { ':version': before.version } }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}
