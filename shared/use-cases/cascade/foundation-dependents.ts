import type { Task } from '../../contract/task/task.ts';
import type { TaskStore } from '../../store/task-store.ts';

/** So many tasks must wait for one to make it a foundation. */
const MIN_DEPENDENTS = 3;
/** Most waiting tasks that are read: some may wait for its files alone. */
const MAX_READ = 20;

/** Returns how many tasks wait for this one, if they make it a foundation; null if they do not, or if it is one already. */
export async function countFoundationDependents(
  { id, foundation }: Task,
  tasks: Pick<TaskStore, 'listFirstWaiting' | 'getMany'>,
): Promise<number | null> {
  if (foundation) return null;
  const waiting = await tasks.listFirstWaiting(id, MAX_READ);
  if (waiting.length < MIN_DEPENDENTS) return null;
  const dependents = [...(await tasks.getMany(waiting)).values()].filter(({ depends_on }) =>
    depends_on.includes(id),
  );
  return dependents.length >= MIN_DEPENDENTS ? dependents.length : null;
}
