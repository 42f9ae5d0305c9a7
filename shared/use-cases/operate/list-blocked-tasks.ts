import type { Task } from '../../contract/task/task.ts';
import type { TaskStore } from '../../store/task-store.ts';

const MAX_BLOCKED_TASKS = 20;

/** Returns the ids of visible tasks that wait for a task that itself waits for a decision; null for every other task, and for none. */
export async function listBlockedTasks(
  { id, hold, status }: Task,
  tasks: Pick<TaskStore, 'listFirstWaiting' | 'getMany'>,
): Promise<string[] | null> {
  if (hold === null && status !== 'auth_required') return null;
  const ids = await tasks.listFirstWaiting(id, MAX_BLOCKED_TASKS);
  const visible = ids.length === 0 ? new Map<string, Task>() : await tasks.getMany(ids);
  // The index is behind the items for a moment.
  const blocked = ids.filter((each) => visible.get(each)?.waits_for === id);
  return blocked.length === 0 ? null : blocked;
}
