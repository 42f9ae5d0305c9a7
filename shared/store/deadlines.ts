import { TABLE_INDEXES } from '../contract/resource-names.ts';
import type { Task } from '../contract/task/task.ts';
import { applyHeartbeat, findHeartbeatAttempt } from '../control/task-commands/heartbeat.ts';
import { HeartbeatStore, type StoredHeartbeat } from './heartbeats.ts';
import type { ItemTable } from './item-table.ts';
import {
  buildTaskDeadlineKey,
  buildTaskItemKey,
  DEADLINE_PARTITIONS,
  type DueDeadlineEntry,
  parseDeadlineSortKey,
  taskFromItem,
} from './task-item.ts';

const INDEX = TABLE_INDEXES.byDeadline;
const { pk, sk } = INDEX;
const PAGE = 50;

/** A task, and the time at which somebody must look at it; null: never. */
export interface TaskDeadline {
  readonly task: Task;
  /** ISO time. */
  readonly deadline: string | null;
  /** Signs of life of its agent, which may have a deadline of their own; null: there are none. */
  readonly heartbeat: StoredHeartbeat | null;
}

interface DeadlineEntry {
  /** `<iso time>#<id>`. */
  readonly rank: string;
}

/** Which tasks are due. Only those with a deadline are ever read, so what waits without one costs nothing. */
export class DeadlineStore {
  readonly #table: ItemTable;
  readonly #beats: HeartbeatStore;

  constructor(table: ItemTable) {
    this.#table = table;
    this.#beats = new HeartbeatStore(table);
  }

  /** What is due at `until`, the most overdue first. */
  async *listDue(until: Date): AsyncGenerator<DueDeadlineEntry> {
    const lanes = DEADLINE_PARTITIONS.map((partition) => this.#entries(partition, until));
    const heads = await Promise.all(lanes.map((lane) => lane.next()));
    for (;;) {
      let first = -1;
      heads.forEach((head, lane) => {
        const best = heads[first];
        if (!head.done && (!best || best.done || head.value.rank < best.value.rank)) first = lane;
      });
      const [head, lane] = [heads[first], lanes[first]];
      if (!head || head.done || !lane) return;
      yield parseDeadlineSortKey(head.value.rank);
      heads[first] = await lane.next();
    }
  }

  async *#entries(partition: string, until: Date): AsyncGenerator<DeadlineEntry> {
    const items = this.#table.query({
      index: INDEX,
      pk: partition,
      // "$" comes after "#": all that is due in this very millisecond is in.
      range: ['#sk < :until', { ':until': `${until.toISOString()}$` }],
      pageSize: PAGE,
    });
    for await (const item of items) yield { rank: String(item[sk]) };
  }

  /** A task with its deadline, read consistently. */
  async get(id: string): Promise<TaskDeadline | null> {
    const item = await this.#table.get(buildTaskItemKey(id));
    if (!item) return null;
    const rank = item[sk] as string | undefined;
    const deadline = rank === undefined ? null : rank.slice(0, rank.indexOf('#'));
    const task = taskFromItem(item);
    const attempt = findHeartbeatAttempt(task);
    const beat = attempt && (await this.#beats.read(task.id, attempt.number));
    return { task: beat ? applyHeartbeat(task, beat) : task, deadline, heartbeat: beat };
  }

  /** Moves the deadline of a task that is still as it was read, whenever it was: who does its step knows when that can be done. */
  async postpone({ id, version }: Pick<Task, 'id' | 'version'>, at: Date): Promise<void> {
    await this.#move(id, { version, at, condition: '', values: {} });
  }

  /**
   * Moves the deadline of a task, or removes it (null). Nothing else of the task changes, its version included. A change that came first
   * wins, because it has set a deadline of its own.
   */
  async set(
    { task: { id, version }, deadline }: Omit<TaskDeadline, 'heartbeat'>,
    at: Date | null,
  ): Promise<void> {
    const condition = ` AND ${deadline === null ? 'attribute_not_exists(#sk)' : '#sk = :seen'}`;
    const values: Record<string, string> = deadline === null ? {} : { ':seen': `${deadline}#${id}` };
    await this.#move(id, { version, at, condition, values });
  }

  async #move(
    id: string,
    {
      version,
      at,
      condition,
      values,
    }: {
      readonly version: number;
      readonly at: Date | null;
      readonly condition: string;
      readonly values: Readonly<Record<string, string>>;
    },
  ): Promise<void> {
    const key = at && buildTaskDeadlineKey(id, at);
    await this.#table.updateIf(buildTaskItemKey(id), {
      UpdateExpression: key ? 'SET #pk = :pk, #sk = :sk' : 'REMOVE #pk, #sk',
      ConditionExpression: `#version = :version${condition}`,
      ExpressionAttributeNames: { '#pk': pk, '#sk': sk, '#version': 'version' },
      ExpressionAttributeValues: {
        ...(key && { ':pk': key[pk], ':sk': key[sk] }),
        ':version': version,
        ...values,
      },
    });
  }
}
