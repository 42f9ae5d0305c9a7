import type { TaskStatus } from '../../../shared/contract/task/status.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { Simulation } from '../simulation.ts';

const ENDED: readonly TaskStatus[] = ['done', 'failed', 'cancelled'];

export const listStoredTasks = (of: Simulation): Task[] =>
  of.cloud.table.items().flatMap((item) => (item['sk'] === 'task' ? [item as unknown as Task] : []));

/** Why a task may rest where it is, or null when nobody but the platform could move it: then it is lost. */
export function waitingReason(task: Task, all: ReadonlyMap<string, Task>): string | null {
  if (ENDED.includes(task.status)) return task.status;
  if (task.status === 'in_review' && task.hold) return 'a person is asked';
  if (task.status === 'open' && task.runner === 'external' && task.base_commit !== null)
    return 'an outside agent may claim it';
  if (task.status === 'blocked') {
    const unmet = task.depends_on.find((id) => id === task.waits_for && all.get(id)?.status !== 'done');
    if (unmet === undefined) return null;
    // It is to wait for what has taken its place. Of what else it depends on, that is seen to when this one is done.
    return all.get(unmet)?.superseded_by === undefined ? `it depends on ${unmet}` : null;
  }
  if (task.status === 'open' && task.waits_for !== null) {
    const holder = all.get(task.waits_for);
    const isLive =
      holder !== undefined &&
      !ENDED.includes(holder.status) &&
      holder.status !== 'open' &&
      holder.status !== 'blocked';
    return isLive ? `its files are held by ${task.waits_for}` : null;
  }
  return null;
}

/** Tasks that nothing will move although something should. */
export function findStuckTasks(of: Simulation): Task[] {
  const all = new Map(listStoredTasks(of).map((task) => [task.id, task]));
  return [...all.values()].filter((task) => waitingReason(task, all) === null);
}
