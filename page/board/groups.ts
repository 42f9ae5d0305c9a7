import type { TaskSummary } from '../../shared/api/schemas.ts';

/** What the board calls a task, in the order in which it wants to be looked at. */
export const GROUPS = ['needs you', 'running', 'being checked', 'waiting', 'failed', 'ended'] as const;
export type Group = (typeof GROUPS)[number];

export function groupOf({ status, hold }: Pick<TaskSummary, 'status' | 'hold'>): Group {
  switch (status) {
    case 'in_review':
      return hold ? 'needs you' : 'being checked';
    case 'auth_required':
      return 'needs you';
    case 'claimed':
    case 'in_progress':
      return 'running';
    case 'open':
    case 'blocked':
      return 'waiting';
    case 'failed':
      return 'failed';
    default:
      return 'ended';
  }
}

const matches = (task: TaskSummary, words: readonly string[]): boolean => {
  const text = `${task.title} ${task.id} ${task.role} ${task.status} ${task.repository}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** The tasks of a group that hold all words, by group; live ones by priority, ended ones the newest first. */
export function boardRows(
  tasks: readonly TaskSummary[],
  filter: string,
  group: Group | 'all',
): TaskSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (task: TaskSummary): number => GROUPS.indexOf(groupOf(task));
  return tasks
    .filter((task) => (group === 'all' || groupOf(task) === group) && matches(task, words))
    .toSorted(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.ended_at && b.ended_at
          ? b.ended_at.localeCompare(a.ended_at)
          : a.priority - b.priority || a.created_at.localeCompare(b.created_at)),
    );
}

export const countsOf = (tasks: readonly TaskSummary[]): ReadonlyMap<Group, number> => {
  const counts = new Map<Group, number>();
  for (const task of tasks) counts.set(groupOf(task), (counts.get(groupOf(task)) ?? 0) + 1);
  return counts;
};
