import type { TaskStatus } from '../../contract/task/status.ts';

/** What is counted: a task came to stand in a status, and was perhaps completed by that. */
export interface TaskStatusChange {
  readonly id: string;
  readonly role: string;
  /** Of the task; a later one counts, an earlier one has been overtaken. */
  readonly version: number;
  /** Null: the task is no longer in the table. */
  readonly status: TaskStatus | null;
  readonly completion: { readonly verified: boolean; readonly at: string } | null;
}

/** As what a task was last counted. */
export interface CountedTaskMark {
  readonly id: string;
  readonly version: number;
  readonly status: TaskStatus | null;
}

/** Counts of a part of a role's tasks, and the marks of those that were counted last. */
export interface RoleTaskCounts {
  readonly by_status: Readonly<Partial<Record<TaskStatus, number>>>;
  readonly verified: number;
  readonly unverified: number;
  /** The latest last. */
  readonly marks: readonly CountedTaskMark[];
}

export const EMPTY_ROLE_TASK_COUNTS: RoleTaskCounts = {
  by_status: {},
  verified: 0,
  unverified: 0,
  marks: [],
};

/** Marks that a tally keeps to itself; older ones are put into items of their own. So it never grows. */
export const MAX_COUNTED_TASKS = 16;

export interface TaskCountUpdate {
  readonly tally: RoleTaskCounts;
  /** Marks that the tally no longer holds: to be written before it is. */
  readonly evicted: readonly CountedTaskMark[];
  /** Was a completion counted? */
  readonly isCompletion: boolean;
}

/**
 * Counts a fact: what the task was counted as before (`mark`; null: never) is taken back, what it is now is added, and the mark moves
 * along in the same write. So a fact counts once however often it comes, in whatever order, and one that was lost is made up for by
 * the next one of its task. Null: it, or a later one, was counted before.
 */
export function countTaskStatusChange(
  tally: RoleTaskCounts,
  mark: CountedTaskMark | null,
  fact: TaskStatusChange,
): TaskCountUpdate | null {
  if (mark ? mark.version >= fact.version : fact.status === null) return null;
  const by_status = { ...tally.by_status };
  const add = (status: TaskStatus | null, one: 1 | -1): void => {
    if (status !== null) by_status[status] = (by_status[status] ?? 0) + one;
  };
  add(mark?.status ?? null, -1);
  add(fact.status, 1);
  const { completion } = fact;
  const marks = [
    ...tally.marks.filter(({ id }) => id !== fact.id),
    { id: fact.id, version: fact.version, status: fact.status },
  ];
  const spill = Math.max(0, marks.length - MAX_COUNTED_TASKS);
  return {
    tally: {
      by_status,
      verified: tally.verified + (completion?.verified === true ? 1 : 0),
      unverified: tally.unverified + (completion?.verified === false ? 1 : 0),
      marks: marks.slice(spill),
    },
    evicted: marks.slice(0, spill),
    isCompletion: completion !== null,
  };
}
