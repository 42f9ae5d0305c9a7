import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../contract/resource-names.ts';
import { RetryQueue } from '../control/dead-letters/dead-letter.ts';
import { isOpenDeadLetterStatus } from '../control/dead-letters/letter-status.ts';
import {
  CLOSED_LETTER_RETENTION_DAYS,
  EMPTY_RETRY_QUEUE,
  findNextDeadLetterRetryAt,
} from '../control/dead-letters/retry-queue.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

const INDEX = TABLE_INDEXES.byDeadline;
const { pk: INDEX_PK, sk: INDEX_SK } = INDEX;
/** Of the index; the reconciler looks at other ones. */
const PARTITION = 'dead-letters';
const DUE_AT_A_TIME = 50;
/** Where one stands that waits for a person. */
const NEVER = '9999-12-31T23:59:59.999Z';
/** Lanes that are counted at most. */
const COUNTED = 100;

export interface DeadLetterGroupPage {
  readonly groups: readonly RetryQueue[];
  /** Name of the last lane, where there are more. */
  readonly after: string | null;
}

const fieldsOf = (name: string, lane: RetryQueue, now: Date): Record<string, unknown> => {
  const at = findNextDeadLetterRetryAt(lane);
  const isClosed = lane.letters.every(({ status }) => !isOpenDeadLetterStatus(status));
  return {
    ...lane,
    ...(!isClosed && { [INDEX_PK]: PARTITION, [INDEX_SK]: `${at ?? NEVER}#${name}` }),
    ...(isClosed && {
      [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(CLOSED_LETTER_RETENTION_DAYS, now),
    }),
  };
};

/** Operations that have failed for good: an item for each task, or each other thing, so that one conditional write keeps their order. */
export class DeadLetterStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async readGroup(name: string): Promise<RetryQueue> {
    const item = await this.#table.get(itemKey(TABLE_ITEM_KEY_PREFIXES.deadLetter, name));
    return item ? RetryQueue.parse(item) : EMPTY_RETRY_QUEUE;
  }

  /** Changes a lane under the condition that it is as it was read. `change` answers null where there is nothing to change. */
  updateGroup(name: string, now: Date, change: (lane: RetryQueue) => RetryQueue | null): Promise<RetryQueue> {
    return this.#table.updateVersioned(
      itemKey(TABLE_ITEM_KEY_PREFIXES.deadLetter, name),
      `dead letters of ${name}`,
      (item) => {
        const present = item ? RetryQueue.parse(item) : EMPTY_RETRY_QUEUE;
        const next = change(present);
        return { fields: next && fieldsOf(name, next, now), result: next ?? present };
      },
    );
  }

  /** All lanes, by name. */
  async listGroups(limit: number, after: string | null): Promise<DeadLetterGroupPage> {
    const pk = TABLE_ITEM_KEY_PREFIXES.deadLetter;
    const page = await this.#table.queryPage({
      pk,
      pageSize: limit,
      after: after === null ? null : itemKey(pk, after),
    });
    return {
      groups: page.items.map((item) => RetryQueue.parse(item)),
      after: page.after && String(page.after[TASKS_TABLE_KEY_ATTRIBUTES.sk]),
    };
  }

  /** In how many lanes something is open; counts no further than 100. */
  countOpenGroups(): Promise<number> {
    return this.#table.count({ index: INDEX, pk: PARTITION, pageSize: COUNTED });
  }

  /** Names of the lanes in which something is due, the most overdue first. */
  async listDueGroups(now: Date): Promise<string[]> {
    const { items } = await this.#table.queryPage({
      index: INDEX,
      pk: PARTITION,
      // "$" comes after "#": all that is due in this very millisecond is in.
      range: ['#sk < :until', { ':until': `${now.toISOString()}$` }],
      pageSize: DUE_AT_A_TIME,
    });
    return items.map((item) => String(item[INDEX_SK])).map((rank) => rank.slice(rank.indexOf('#') + 1));
  }
}
