import type { DetectedRevert } from '../../contract/repository/detect-reverts.ts';
import { isSameRepository } from '../../contract/repository/repository-url.ts';
import type { DeliveryOutcome } from '../../contract/task/delivery-outcome.ts';
import { mergedCommitKey, mergedRequestKey } from '../../contract/task/merged-work.ts';
import type { Task } from '../../contract/task/task.ts';
import { recordDeliveryOutcome } from '../../control/task-commands/delivery-outcome.ts';
import type { MergedWorkStore } from '../../store/merged-work.ts';
import type { TaskStore } from '../../store/task-store.ts';

/** Whoever commits writes the date: work is not reverted before it is delivered, nor after it was seen to be. */
const between = (at: string, first: string, last: Date): string =>
  new Date(Math.min(last.getTime(), Math.max(Date.parse(first), Date.parse(at)))).toISOString();

/** What a revert is for the work of this task; null where that was not delivered to this repository. */
function outcomeOf(
  { reverting_commit, at }: DetectedRevert,
  task: Task,
  repository: string,
  now: Date,
): DeliveryOutcome | null {
  const { status, delivery } = task;
  if (status !== 'done' || delivery?.state !== 'delivered') return null;
  if (!isSameRepository(task.repository, repository)) return null;
  return {
    outcome: 'reverted',
    at: between(at, delivery.at, now),
    by: 'git',
    request: null,
    commit: reverting_commit,
  };
}

interface RevertContext {
  readonly tasks: TaskStore;
  readonly mergedWork: Pick<MergedWorkStore, 'findTask'>;
  readonly now: Date;
}

/** Whose work is undone: as the commit says itself, or as a forge has said of what was merged. */
export async function findRevertedTask(
  {
    task_id,
    reverted_commit,
    reverted_request,
  }: Pick<DetectedRevert, 'task_id' | 'reverted_commit' | 'reverted_request'>,
  repository: string,
  landed: Pick<MergedWorkStore, 'findTask'>,
): Promise<string | null> {
  if (task_id !== null) return task_id;
  if (reverted_commit !== null) return landed.findTask(repository, mergedCommitKey(reverted_commit));
  return reverted_request === null ? null : landed.findTask(repository, mergedRequestKey(reverted_request));
}

/**
 * The history that one delivery went onto says what became of others: of tasks of the same repository, and of nothing else. One conditional
 * write for each that was not known to be reverted.
 * @param from whose delivery has looked
 */
export async function recordReverts(
  from: Task,
  reverts: readonly DetectedRevert[],
  { tasks, mergedWork, now }: RevertContext,
): Promise<Task> {
  const { repository } = from;
  for (const revert of reverts) {
    const id = await findRevertedTask(revert, repository, mergedWork);
    const task = id === null ? null : await tasks.get(id);
    if (task)
      await tasks.apply(task, (each) => {
        const outcome = outcomeOf(revert, each, repository, now);
        return outcome && recordDeliveryOutcome(each, outcome, now);
      });
  }
  return from;
}
