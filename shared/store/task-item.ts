import { findPendingApproval } from '../contract/approval/schema.ts';
import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../contract/resource-names.ts';
import { currentAttempt, type Task } from '../contract/task/task.ts';
import { isBaseCommitUnresolved } from '../control/task-commands/base-commit.ts';
import { computeTaskDeadline } from '../control/task-commands/deadline.ts';
import { computeShard } from './shard.ts';

/** Primary key of a task item. */
export const buildTaskItemKey = (id: string): Record<string, string> => ({
  [TASKS_TABLE_KEY_ATTRIBUTES.pk]: `${TABLE_ITEM_KEY_PREFIXES.task}${id}`,
  [TASKS_TABLE_KEY_ATTRIBUTES.sk]: TASKS_TABLE_KEY_ATTRIBUTES.taskSk,
});

/** Partition of `by_queue` in which external tasks of a role wait. */
export const buildQueuePartition = (role: string): string => `external#${role}`;

/** Orders the claimable tasks of a role: priority first, then oldest; unique by the id at its end. */
export const buildQueueSortKey = (task: Pick<Task, 'priority' | 'created_at' | 'id'>): string =>
  `${task.priority}#${task.created_at}#${task.id}`;
export const creationSortKey = (task: Pick<Task, 'created_at' | 'id'>): string =>
  `${task.created_at}#${task.id}`;

/** Partitions of `by_deadline`: one takes 1,000 writes a second, and each sign of life moves its task's deadline. */
const DEADLINE_SHARDS = 4;
export const DEADLINE_PARTITIONS: readonly string[] = Array.from({ length: DEADLINE_SHARDS }, (_, shard) =>
  String(shard),
);

/** Where in `by_deadline` a task stands that is due at `at`. */
export const buildTaskDeadlineKey = (id: string, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(computeShard(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}`,
});

/** The same of the beats of an attempt. No id has a "/" in it, so that the rank is not that of the task. */
export const heartbeatDeadlineKey = (id: string, attempt: number, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(computeShard(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}/${attempt}`,
});

/** The same of a request. */
export const buildWorkRequestDeadlineKey = (id: string, at: Date): Record<string, string> => ({
  [TABLE_INDEXES.byDeadline.pk]: String(computeShard(id, DEADLINE_SHARDS)),
  [TABLE_INDEXES.byDeadline.sk]: `${at.toISOString()}#${id}/request`,
});

/** What is due by a rank of `by_deadline`: a task, or the beats of an attempt of it. */
export function parseDeadlineSortKey(rank: string): DueDeadlineEntry {
  const [id = '', part] = rank.slice(rank.indexOf('#') + 1).split('/');
  if (part === 'request') return { id, attempt: null, isRequest: true };
  return { id, attempt: part === undefined ? null : Number(part), isRequest: false };
}
export interface DueDeadlineEntry {
  readonly id: string;
  /** Null: the task itself is due. */
  readonly attempt: number | null;
  /** It is no task, but a request. */
  readonly isRequest: boolean;
}

/** Attribute of a parked task: who has asked for its approval, and must not give it. */
export const APPROVAL_REQUESTER_ATTRIBUTE = 'approval_by';

/** The item of a task: its fields plus keys. Index attributes exist only where the task belongs in the index. */
export function taskToItem(task: Task): Record<string, unknown> {
  const claimable = task.status === 'open' && task.runner === 'external' && !isBaseCommitUnresolved(task);
  const deadline = computeTaskDeadline(task);
  return {
    ...buildTaskItemKey(task.id),
    ...task,
    expires_at: task.expires_at ?? undefined,
    lease_until: currentAttempt(task)?.lease_until,
    [TABLE_INDEXES.byStatus.pk]: task.status,
    [TABLE_INDEXES.byStatus.sk]: creationSortKey(task),
    ...(claimable
      ? {
          [TABLE_INDEXES.byQueue.pk]: buildQueuePartition(task.role),
          [TABLE_INDEXES.byQueue.sk]: buildQueueSortKey(task),
        }
      : {}),
    ...(task.waits_for === null
      ? {}
      : { [TABLE_INDEXES.byWait.pk]: task.waits_for, [TABLE_INDEXES.byWait.sk]: task.id }),
    [APPROVAL_REQUESTER_ATTRIBUTE]: findPendingApproval(task)?.requested_by,
    ...(deadline === null ? {} : buildTaskDeadlineKey(task.id, deadline)),
  };
}

const KEY_ATTRIBUTES: ReadonlySet<string> = new Set([
  TASKS_TABLE_KEY_ATTRIBUTES.pk,
  TASKS_TABLE_KEY_ATTRIBUTES.sk,
  'lease_until',
  APPROVAL_REQUESTER_ATTRIBUTE,
  ...Object.values(TABLE_INDEXES).flatMap((index) => [index.pk, index.sk]),
]);

/** A task from its item. The table holds only what `taskToItem` wrote, so nothing is parsed again here. */
export function taskFromItem(item: Record<string, unknown>): Task {
  const fields = Object.fromEntries(Object.entries(item).filter(([name]) => !KEY_ATTRIBUTES.has(name)));
  return {
    ...fields,
    expires_at: fields['expires_at'] ?? null,
  } as Task;
}
