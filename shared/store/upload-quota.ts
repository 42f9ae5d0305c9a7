import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Refusal } from '../contract/refusal.ts';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { MAX_SCREENSHOTS_PER_GATE } from '../contract/screenshot.ts';
import { ttlAfterDays } from './ttl.ts';

/**
 * Leave to upload that an attempt is given. Its boxes need four, and one for each picture; as much again is for boxes that are lost and
 * launched anew. Each counts, whether it is used or not.
 */
export const MAX_UPLOADS = 24 + 3 * MAX_SCREENSHOTS_PER_GATE;
/** Days after which the count is removed; no attempt runs for as long. */
const KEPT_DAYS = 8;

/** How often the boxes of an attempt have asked to upload: what has a name of its own each time must not fill the bucket. */
export class UploadQuotaStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  /** Counts one more. @throws Refusal `conflict` when there were enough. */
  async consume(taskId: string, attempt: number, now: Date): Promise<void> {
    try {
      await this.#db.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.uploads}${taskId}`, [TABLE_KEYS.sk]: String(attempt) },
          UpdateExpression: 'ADD #given :one SET #ttl = :ttl',
          ConditionExpression: 'attribute_not_exists(#given) OR #given < :most',
          ExpressionAttributeNames: { '#given': 'given', '#ttl': TABLE_KEYS.ttl },
          ExpressionAttributeValues: {
            ':one': 1,
            ':most': MAX_UPLOADS,
            ':ttl': ttlAfterDays(KEPT_DAYS, now),
          },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      throw new Refusal(
        'conflict',
        `attempt ${attempt} of task ${taskId} has asked for ${MAX_UPLOADS} uploads`,
      );
    }
  }
}
