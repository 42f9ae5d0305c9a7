import type { SeenRevert } from '../repository/reverts.ts';
import { isSameRepository } from '../repository/url.ts';
import type { TaskStore } from '../store/tasks.ts';
import { recordOutcome } from '../task/commands/outcome.ts';
import type { WorkOutcome } from '../task/outcome.ts';
import type { Task } from '../task/task.ts';

/** Whoever commits writes the date: work is not reverted before it is delivered, nor after it was seen to be. */
const between = (at: string, first: string, last: Date): string =>
  new Date(Math.min(last.getTime(), Math.max(Date.parse(first), Date.parse(at)))).toISOString();

/** What a revert is for the work of this task; null where that was not delivered to this repository. */
function outcomeOf(
  { commit, at }: SeenRevert,
  task: Task,
  repository: string,
  now: Date,
): WorkOutcome | null {
  const { status, delivery } = task;
  if (status !== 'done' || delivery?.state !== 'delivered') return null;
  if (!isSameRepository(task.repository, repository)) return null;
  return { what: 'reverted', at: between(at, delivery.at, now), by: 'git', request: null, commit };
}

/**
 * The history that one delivery went onto says what became of others: of tasks of the same repository, and of nothing else. One conditional
 * write for each that was not known to be reverted.
 * @param from whose delivery has looked
 */
export async function recordReverts(
  from: Task,
  reverts: readonly SeenRevert[],
  { tasks, now }: { readonly tasks: TaskStore; readonly now: Date },
): Promise<Task> {
  for (const revert of reverts) {
    const task = await tasks.get(revert.task_id);
    if (task)
      await tasks.apply(task, (each) => {
        const outcome = outcomeOf(revert, each, from.repository, now);
        return outcome && recordOutcome(each, outcome, now);
      });
  }
  return from;
}
