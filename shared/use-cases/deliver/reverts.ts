import type { SeenRevert } from '../../contract/repository/reverts.ts';
import { isSameRepository } from '../../contract/repository/url.ts';
import { landedCommit, landedRequest } from '../../contract/task/landed.ts';
import type { WorkOutcome } from '../../contract/task/outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { recordOutcome } from '../../control/task-commands/outcome.ts';
import type { LandedStore } from '../../store/landed.ts';
import type { TaskStore } from '../../store/tasks.ts';

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

interface RevertContext {
  readonly tasks: TaskStore;
  readonly landed: Pick<LandedStore, 'taskOf'>;
  readonly now: Date;
}

/** Whose work is undone: as the commit says itself, or as a forge has said of what was merged. */
export async function undoneTask(
  { task_id, reverted, request }: Pick<SeenRevert, 'task_id' | 'reverted' | 'request'>,
  repository: string,
  landed: Pick<LandedStore, 'taskOf'>,
): Promise<string | null> {
  if (task_id !== null) return task_id;
  if (reverted !== null) return landed.taskOf(repository, landedCommit(reverted));
  return request === null ? null : landed.taskOf(repository, landedRequest(request));
}

/**
 * The history that one delivery went onto says what became of others: of tasks of the same repository, and of nothing else. One conditional
 * write for each that was not known to be reverted.
 * @param from whose delivery has looked
 */
export async function recordReverts(
  from: Task,
  reverts: readonly SeenRevert[],
  { tasks, landed, now }: RevertContext,
): Promise<Task> {
  const { repository } = from;
  for (const revert of reverts) {
    const id = await undoneTask(revert, repository, landed);
    const task = id === null ? null : await tasks.get(id);
    if (task)
      await tasks.apply(task, (each) => {
        const outcome = outcomeOf(revert, each, repository, now);
        return outcome && recordOutcome(each, outcome, now);
      });
  }
  return from;
}
