import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import type { TaskStatus } from '../contract/task/status.ts';
import {
  type CountedTaskMark,
  countTaskStatusChange,
  EMPTY_ROLE_TASK_COUNTS,
  type RoleTaskCounts,
  type TaskStatusChange,
} from '../control/ledger/task-counts.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeShard } from './shard.ts';
import { TaskCompletionStore } from './task-completions.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Items that the tasks of one role are counted in: writers of the same one race. */
const SHARDS = 8;
/** Days for which it is remembered that a task is gone: longer than a stream keeps a record. */
const REMEMBERED_DAYS = 2;
const PARTITION = `${TABLE_ITEM_KEY_PREFIXES.count}tasks`;

type Roles = Map<string, Partial<Record<TaskStatus, number>>>;

/** Tasks by role and status, and completions, verified or not. */
export interface TaskCounts {
  readonly roles: Roles;
  readonly allTime: { readonly verified: number; readonly unverified: number };
  /** Grows with every task that comes to stand in another status, or begins another attempt: the same number, the same tasks. */
  readonly revision: number;
}

const tallyKey = ({ role, id }: TaskStatusChange): TableItem =>
  itemKey(PARTITION, `${role}#${computeShard(id, SHARDS)}`);
const markKey = (id: string): TableItem => itemKey(`${TABLE_ITEM_KEY_PREFIXES.countedState}${id}`, 'mark');

/**
 * Counts that are right however often a fact is delivered: each count and the marks that say what it is made of are one item, written
 * under a condition that it is as it was read; a mark that goes out of it is first written into an item of its own.
 */
export class TaskCountStore {
  readonly #table: ItemTable;
  readonly #completions: TaskCompletionStore;

  constructor(table: ItemTable) {
    this.#table = table;
    this.#completions = new TaskCompletionStore(table);
  }

  async #mark(id: string): Promise<CountedTaskMark | null> {
    const item = await this.#table.get(markKey(id));
    return item && { id, version: item['version'] as number, status: item['status'] as TaskStatus | null };
  }

  /** Puts a mark beside its count, unless a later one is there. */
  async #spill({ id, version, status }: CountedTaskMark, now: Date): Promise<void> {
    const gone =
      status === null
        ? { [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(REMEMBERED_DAYS, now) }
        : {};
    await this.#table.putIf(
      { ...markKey(id), version, status, ...gone },
      {
        ConditionExpression: 'attribute_not_exists(#version) OR #version < :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': version },
      },
    );
  }

  /** Counts a fact, once. True when a completion was counted by it. */
  async count(fact: TaskStatusChange, now: Date): Promise<boolean> {
    // Before it is counted: whoever dies in between does both again.
    if (fact.completion) await this.#completions.record({ task_id: fact.id, ...fact.completion });
    return this.#table.updateVersioned(
      tallyKey(fact),
      `an item of the counts of role ${fact.role}`,
      async (item) => {
        const tally = { ...EMPTY_ROLE_TASK_COUNTS, ...(item as Partial<RoleTaskCounts> | null) };
        const mark = tally.marks.find(({ id }) => id === fact.id) ?? (await this.#mark(fact.id));
        const counted = countTaskStatusChange(tally, mark, fact);
        if (counted === null) return { fields: null, result: false };
        await Promise.all(counted.evicted.map((each) => this.#spill(each, now)));
        return { fields: { ...counted.tally }, result: counted.isCompletion };
      },
    );
  }

  /** All counts so far. */
  async read(): Promise<TaskCounts> {
    const roles: Roles = new Map();
    const sum = { verified: 0, unverified: 0 };
    let revision = 0;
    for await (const item of this.#table.query({ pk: PARTITION, consistent: true })) {
      const tally = { ...EMPTY_ROLE_TASK_COUNTS, ...(item as Partial<RoleTaskCounts>) };
      sum.verified += tally.verified;
      sum.unverified += tally.unverified;
      revision += Number(item['revision'] ?? 0);
      const role = String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]).replace(/#\d+$/, '');
      const row = roles.get(role) ?? {};
      for (const [status, number] of Object.entries(tally.by_status) as [TaskStatus, number][])
        if (number !== 0) row[status] = (row[status] ?? 0) + number;
      roles.set(role, row);
    }
    return { roles, allTime: sum, revision };
  }
}
