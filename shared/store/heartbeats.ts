import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../contract/resource-names.ts';
import type { Attempt } from '../contract/task/attempt.ts';
import type { Heartbeat } from '../control/task-commands/heartbeat.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { heartbeatDeadlineKey } from './task-item.ts';

/** Seconds for which a sign of life is kept after it was given: longer than an attempt lives. */
const KEPT_SECONDS = 7 * 86_400;

const keyOf = (taskId: string, attempt: number): TableItem =>
  itemKey(`${TABLE_ITEM_KEY_PREFIXES.heartbeat}${taskId}`, `attempt#${String(attempt).padStart(4, '0')}`);
const seconds = (now: Date): number => Math.floor(now.getTime() / 1_000);

export interface StoredHeartbeat extends Heartbeat {
  /** ISO time at which somebody must look at the lease; null: its task says when. */
  readonly deadline: string | null;
}

/** Signs of life: one item for each attempt. A beat is one conditional write of one small item. */
export class HeartbeatStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async read(taskId: string, attempt: number): Promise<StoredHeartbeat | null> {
    const item = await this.#table.get(keyOf(taskId, attempt));
    if (!item) return null;
    const rank = item[TABLE_INDEXES.byDeadline.sk] as string | undefined;
    return {
      attempt,
      lease_until: (item['lease_until'] as number | undefined) ?? null,
      progress: (item['progress'] as Attempt['progress'] | undefined) ?? null,
      deadline: rank === undefined ? null : rank.slice(0, rank.indexOf('#')),
    };
  }

  /** Extends the lease of an attempt, as its task has it. False when it has run out: then nothing brings it back but the task. */
  async extendLease(
    taskId: string,
    { number, lease_until: lease }: Pick<Attempt, 'number' | 'lease_until'>,
    until: number,
    progress: Attempt['progress'],
    now: Date,
  ): Promise<boolean> {
    // A lease that was ended and that the task has extended since is another lease.
    const may =
      lease >= seconds(now)
        ? '(attribute_not_exists(#ended) OR #ended < :lease)'
        : 'attribute_not_exists(#ended) AND #until >= :now';
    return this.#table.updateIf(keyOf(taskId, number), {
      UpdateExpression: `SET #until = :until, #ttl = :ttl${progress ? ', #progress = :progress' : ''} REMOVE #ended`,
      ConditionExpression: may,
      ExpressionAttributeNames: {
        '#until': 'lease_until',
        '#ended': 'ended',
        '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl,
        ...(progress && { '#progress': 'progress' }),
      },
      ExpressionAttributeValues: {
        ':until': until,
        ':ttl': seconds(now) + KEPT_SECONDS,
        ...(lease >= seconds(now) ? { ':lease': lease } : { ':now': seconds(now) }),
        ...(progress && { ':progress': progress }),
      },
    });
  }

  /** Ends a lease that has run out, before its task hears of it: from then on no beat is taken. False when one came first. */
  endLease(taskId: string, attempt: number, now: Date): Promise<boolean> {
    return this.#table.updateIf(keyOf(taskId, attempt), {
      UpdateExpression: 'SET #ended = :now, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(#until) OR #until < :now',
      ExpressionAttributeNames: {
        '#until': 'lease_until',
        '#ended': 'ended',
        '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl,
      },
      ExpressionAttributeValues: { ':now': seconds(now), ':ttl': seconds(now) + KEPT_SECONDS },
    });
  }

  /** Has the lease looked at again at `at`, in the place of its task. False when it was never beaten for. */
  setDeadline(taskId: string, attempt: number, at: Date): Promise<boolean> {
    const { pk, sk } = TABLE_INDEXES.byDeadline;
    const key = heartbeatDeadlineKey(taskId, attempt, at);
    return this.#table.updateIf(keyOf(taskId, attempt), {
      UpdateExpression: 'SET #pk = :pk, #sk = :sk',
      ConditionExpression: 'attribute_exists(#until)',
      ExpressionAttributeNames: { '#pk': pk, '#sk': sk, '#until': 'lease_until' },
      ExpressionAttributeValues: { ':pk': key[pk], ':sk': key[sk] },
    });
  }

  /** Forgets the signs of life of an attempt that is over. */
  delete(taskId: string, attempt: number): Promise<void> {
    return this.#table.delete(keyOf(taskId, attempt));
  }
}
