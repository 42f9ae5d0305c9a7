import { findPendingApproval } from '../contract/approval/schema.ts';
import { ITEM_KEY_PREFIXES, TABLE_INDEXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { currentAttempt, type Task } from '../contract/task/task.ts';
import { isBaseUnresolved } from '../control/task-commands/base-commit.ts';
import { nextDeadline } from '../control/task-commands/deadline.ts';
import { shardOf } from './shard.ts';

/** Primary key of a task item. */
export const taskKey = (id: string): Record<string, string> => ({
  [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.task}${id}`,
  [TABLE_KEYS.sk]: TABLE_KEYS.taskSk,
});

/** Partition of `by_queue` in which external tasks of a role wait. */
export const queuePartition = (role: string): string => `external#${role}`;

/** Orders the claimable tasks of a role: priority first, then oldest; unique by the id at its end. */
export const queueSortKey = (task: Pick<Task, 'priority' | 'created_at' | 'id'>): string =>
  `${task.priority}#${task.created_at}#${task.id}`;
export const creationSortKey = (task: Pick<Task, 'created_at' | 'id'>): string =>
  `${task.created_at}#${task.id}`;

/** Partitions of `by_deadline`: one takes 1,000 writes a second, and each sign of life moves its task's deadline. */
const DEADLINE_SHARDS = 4;
export const DEADLINE_PARTITIONS: readonly string[] = Array.from({ length: DEADLINE_SHARDS }, (_, shard) =>
  String(shard),
);

/** Where in `by_deadline` a task stands that is due at `at`. */
export const deadlineKey = (id: string, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(shardOf(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}`,
});

/** The same of the beats of an attempt. No id has a "/" in it, so that the rank is not that of the task. */
export const heartbeatDeadlineKey = (id: string, attempt: number, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(shardOf(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}/${attempt}`,
});

/** The same of a request. */
export const requestDeadlineKey = (id: string, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(shardOf(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}/request`,
});

/** What is due by a rank of `by_deadline`: a task, or the beats of an attempt of it. */
export function parseDeadlineSortKey(rank: string): DueDeadline {
  const [id = '', part] = rank.slice(rank.indexOf('#') + 1).split('/');
  if (part === 'request') return { id, attempt: null, isRequest: true };
  return { id, attempt: part === undefined ? null : Number(part), isRequest: false };
}
export interface DueDeadline {
  readonly id: string;
  /** Null: the task itself is due. */
  readonly attempt: number | null;
  /** It is no task, but a request. */
  readonly isRequest: boolean;
}

/** Attribute of a parked task: who has asked for its approval, and must not give it. */
export const REQUESTER_ATTRIBUTE = 'approval_by';

/** The item of a task: its fields plus keys. Index attributes exist only where the task belongs in the index. */
export function taskToItem(task: Task): Record<string, unknown> {
  const claimable = task.status === 'open' && task.runner === 'external' && !isBaseUnresolved(task);
  const deadline = nextDeadline(task);
  return {
    ...taskKey(task.id),
    ...task,
    expires_at: task.expires_at ?? undefined,
    lease_until: currentAttempt(task)?.lease_until,
    [TABLE_INDEXES.byStatus.pk]: task.status,
    [TABLE_INDEXES.byStatus.sk]: creationSortKey(task),
    ...(claimable
      ? {
          [TABLE_INDEXES.byQueue.pk]: queuePartition(task.role),
          [TABLE_INDEXES.byQueue.sk]: queueSortKey(task),
        }
      : {}),
    ...(task.waits_for === null
      ? {}
      : { [TABLE_INDEXES.byWait.pk]: task.waits_for, [TABLE_INDEXES.byWait.sk]: task.id }),
    [REQUESTER_ATTRIBUTE]: findPendingApproval(task)?.requested_by,
    ...(deadline === null ? {} : deadlineKey(task.id, deadline)),
  };
}

const KEY_ATTRIBUTES: ReadonlySet<string> = new Set([
  TABLE_KEYS.pk,
  TABLE_KEYS.sk,
  'lease_until',
  REQUESTER_ATTRIBUTE,
  ...Object.values(TABLE_INDEXES).flatMap((index) => [index.pk, index.sk]),
]);

/** A task from its item. The table holds only what `toItem` wrote, so nothing is parsed again here. */
export function taskFromItem(item: Record<string, unknown>): Task {
  const fields = Object.fromEntries(Object.entries(item).filter(([name]) => !KEY_ATTRIBUTES.has(name)));
  return {
    ...fields,
    expires_at: fields['expires_at'] ?? null,
  } as Task;
}
