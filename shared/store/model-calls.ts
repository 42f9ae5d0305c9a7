import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { MeteredCall } from '../contract/models/metered-call.ts';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { ttlAfterDays } from './ttl.ts';

/** Days that a call is kept: whoever wants it asks when its task has ended. */
const RETENTION_DAYS = 30;

const below = (attempt: number): string => `call#${String(attempt).padStart(4, '0')}#`;

/**
 * Single calls of models: each an item of its own beside its meter, so that no item grows with how many there are. They are kept where
 * somebody wants them; what is counted and billed is the meter's.
 */
export class ModelCallStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  /** Writes a call down. A repeat writes the same. */
  async record(taskId: string, call: MeteredCall, now: Date): Promise<void> {
    await this.#db.send(
      new UpdateCommand({
        TableName: this.#table,
        Key: {
          [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.meter}${taskId}`,
          [TABLE_KEYS.sk]: `${below(call.attempt)}${call.started_at}#${call.id}`,
        },
        UpdateExpression: 'SET #call = :call, #ttl = :ttl',
        ExpressionAttributeNames: { '#call': 'call', '#ttl': TABLE_KEYS.ttl },
        ExpressionAttributeValues: { ':call': call, ':ttl': ttlAfterDays(RETENTION_DAYS, now) },
      }),
    );
  }

  /** The first calls of an attempt, in the order in which they began, so many at most. */
  async listOfAttempt(taskId: string, attempt: number, most: number): Promise<MeteredCall[]> {
    const { Items = [] } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :below)',
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.pk, '#sk': TABLE_KEYS.sk },
        ExpressionAttributeValues: {
          ':pk': `${ITEM_KEY_PREFIXES.meter}${taskId}`,
          ':below': below(attempt),
        },
        Limit: most,
        ConsistentRead: true,
      }),
    );
    return Items.map((item) => MeteredCall.parse(item['call']));
  }
}
