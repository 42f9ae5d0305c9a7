import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { IF_ITEM_ABSENT, type ItemTable, itemKey } from './item-table.ts';

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

const keyOf = (id: string) => itemKey(`${TABLE_ITEM_KEY_PREFIXES.claim}${id}`, 'claim');

/** Keys of claims: one item each, under the hash of operator and key. */
export class ClaimIntentStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async get(id: string): Promise<ClaimIntent | null> {
    const item = await this.#table.get(keyOf(id));
    return (
      item && {
        request: String(item['request']),
        task: String(item['task']),
        version: Number(item['version']),
      }
    );
  }

  /** Writes what is meant now in the place of `before`. False when another request with this key has written meanwhile. */
  put(id: string, intent: ClaimIntent, before: ClaimIntent | null, now: Date): Promise<boolean> {
    const ttl = Math.floor(now.getTime() / 1_000) + KEPT_SECONDS;
    return this.#table.putIf(
      { ...keyOf(id), ...intent, [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: ttl },
      before === null
        ? IF_ITEM_ABSENT
        : {
            ConditionExpression: '#version = :version',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':version': before.version },
          },
    );
  }
}
