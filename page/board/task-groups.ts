import type { TaskSummary } from '../../shared/api/task-schemas.ts';

/** Groups of tasks on the board, the most urgent first. */
export const TASK_GROUPS = ['needs review', 'running', 'verifying', 'waiting', 'failed', 'ended'] as const;
export type TaskGroup = (typeof TASK_GROUPS)[number];

export function taskGroupOf({ status, hold }: Pick<TaskSummary, 'status' | 'hold'>): TaskGroup {
  switch (status) {
    case 'in_review':
      return hold ? 'needs review' : 'verifying';
    case 'auth_required':
      return 'needs review';
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

/** Returns the tasks of a group that contain all words; live ones by priority, ended ones newest first. */
export function selectBoardTasks(
  tasks: readonly TaskSummary[],
  filter: string,
  group: TaskGroup | 'all',
): TaskSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (task: TaskSummary): number => TASK_GROUPS.indexOf(taskGroupOf(task));
  return tasks
    .filter((task) => (group === 'all' || taskGroupOf(task) === group) && matches(task, words))
    .toSorted(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.ended_at && b.ended_at
          ? b.ended_at.localeCompare(a.ended_at)
          : a.priority - b.priority || a.created_at.localeCompare(b.created_at)),
    );
}

export const countByGroup = (tasks: readonly TaskSummary[]): ReadonlyMap<TaskGroup, number> => {
  const counts = new Map<TaskGroup, number>();
  for (const task of tasks) counts.set(taskGroupOf(task), (counts.get(taskGroupOf(task)) ?? 0) + 1);
  return counts;
};
