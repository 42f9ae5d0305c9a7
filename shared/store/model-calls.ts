import { MeteredModelCall } from '../contract/models/metered-call.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days that a call is kept: whoever wants it asks when its task has ended. */
const RETENTION_DAYS = 30;

const below = (attempt: number): string => `call#${String(attempt).padStart(4, '0')}#`;

/**
 * Single calls of models: each an item of its own beside its meter, so that no item grows with how many there are. They are kept where
 * somebody wants them; what is counted and billed is the meter's.
 */
export class ModelCallStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Writes a call down. A repeat writes the same. */
  async record(taskId: string, call: MeteredModelCall, now: Date): Promise<void> {
    const sk = `${below(call.attempt)}${call.started_at}#${call.id}`;
    await this.#table.update(itemKey(`${TABLE_ITEM_KEY_PREFIXES.meter}${taskId}`, sk), {
      UpdateExpression: 'SET #call = :call, #ttl = :ttl',
      ExpressionAttributeNames: { '#call': 'call', '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl },
      ExpressionAttributeValues: { ':call': call, ':ttl': computeTtlEpochSeconds(RETENTION_DAYS, now) },
    });
  }

  /** The first calls of an attempt, in the order in which they began, so many at most. */
  async listOfAttempt(taskId: string, attempt: number, most: number): Promise<MeteredModelCall[]> {
    const { items } = await this.#table.queryPage({
      pk: `${TABLE_ITEM_KEY_PREFIXES.meter}${taskId}`,
      range: ['begins_with(#sk, :below)', { ':below': below(attempt) }],
      pageSize: most,
      consistent: true,
    });
    return items.map((item) => MeteredModelCall.parse(item['call']));
  }
}
