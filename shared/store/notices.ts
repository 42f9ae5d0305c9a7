import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days for which it is known what was sent. */
const RETENTION_DAYS = 30;
/** Seconds after which a delivery is free again whose sender was lost. Longer than the function may run. */
const CLAIM_SECONDS = 90;

/** Where a message stands that can be updated. */
export interface SentMessage {
  readonly channel: string;
  readonly ts: string;
}

/** What is known of a delivery. */
export interface NoticeRecord {
  /** Version of the task in the last notice that was sent; 0: none was. */
  readonly version: number;
  readonly sentAt: string | null;
  readonly message: SentMessage | null;
}

const recordOf = (item: TableItem | null): NoticeRecord & { readonly claimedUntil: string | null } => {
  const { version, sent_at, message_channel, message_ts, claimed_until } = item ?? {};
  return {
    version: typeof version === 'number' ? version : 0,
    sentAt: typeof sent_at === 'string' ? sent_at : null,
    message:
      typeof message_channel === 'string' && typeof message_ts === 'string'
        ? { channel: message_channel, ts: message_ts }
        : null,
    claimedUntil: typeof claimed_until === 'string' ? claimed_until : null,
  };
};

/** Which notices were sent: an item for each target and delivery key. One sender at a time has the claim. */
export class NoticeStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Claims a delivery. Returns null while another sender has the claim. */
  claim(target: string, key: string, now: Date): Promise<NoticeRecord | null> {
    const until = new Date(now.getTime() + CLAIM_SECONDS * 1_000).toISOString();
    return this.#change<NoticeRecord | null>(target, key, now, (present) => {
      const isClaimed = present.claimedUntil !== null && present.claimedUntil > now.toISOString();
      if (isClaimed) return { fields: null, result: null };
      return { fields: { ...present, claimedUntil: until }, result: present };
    });
  }

  /** Ends a claim: `sent` if the notice was sent, null if it was not. */
  async release(target: string, key: string, sent: NoticeRecord | null, now: Date): Promise<void> {
    await this.#change(target, key, now, (present) => ({
      fields: { ...(sent ?? present), claimedUntil: null },
      result: null,
    }));
  }

  #change<R>(
    target: string,
    key: string,
    now: Date,
    change: (present: ReturnType<typeof recordOf>) => {
      readonly fields: ReturnType<typeof recordOf> | null;
      readonly result: R;
    },
  ): Promise<R> {
    const pk = `${TABLE_ITEM_KEY_PREFIXES.notice}${target}#${key}`;
    return this.#table.updateVersioned(itemKey(pk, 'notice'), `the notice ${key} for ${target}`, (item) => {
      const { fields, result } = change(recordOf(item));
      return {
        fields: fields && {
          version: fields.version,
          sent_at: fields.sentAt,
          message_channel: fields.message?.channel ?? null,
          message_ts: fields.message?.ts ?? null,
          claimed_until: fields.claimedUntil,
          [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(RETENTION_DAYS, now),
        },
        result,
      };
    });
  }
}
