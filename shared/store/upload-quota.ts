import { Refusal } from '../contract/refusal.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { MAX_SCREENSHOTS_PER_GATE } from '../contract/screenshot.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/**
 * Leave to upload that an attempt is given. Its boxes need four, and one for each picture; as much again is for boxes that are lost and
 * launched anew. Each counts, whether it is used or not.
 */
export const MAX_UPLOADS_PER_ATTEMPT = 24 + 3 * MAX_SCREENSHOTS_PER_GATE;
/** Days after which the count is removed; no attempt runs for as long. */
const KEPT_DAYS = 8;

/** How often the boxes of an attempt have asked to upload: what has a name of its own each time must not fill the bucket. */
export class UploadQuotaStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Counts one more. @throws Refusal `conflict` when there were enough. */
  async consume(taskId: string, attempt: number, now: Date): Promise<void> {
    const isCounted = await this.#table.updateIf(
      itemKey(`${TABLE_ITEM_KEY_PREFIXES.uploads}${taskId}`, String(attempt)),
      {
        UpdateExpression: 'ADD #given :one SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(#given) OR #given < :most',
        ExpressionAttributeNames: { '#given': 'given', '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl },
        ExpressionAttributeValues: {
          ':one': 1,
          ':most': MAX_UPLOADS_PER_ATTEMPT,
          ':ttl': computeTtlEpochSeconds(KEPT_DAYS, now),
        },
      },
    );
    if (!isCounted)
      throw new Refusal(
        'conflict',
        `attempt ${attempt} of task ${taskId} has asked for ${MAX_UPLOADS_PER_ATTEMPT} uploads`,
      );
  }
}
