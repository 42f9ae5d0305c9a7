import type { Task } from '../../contract/task/task.ts';
import type { TaskCommand } from '../../control/task-commands/task-change.ts';
import type { AcceptedTreeStore } from '../../store/accepted-trees.ts';
import type { TaskStore } from '../../store/task-store.ts';

/**
 * Applies a reviewer's decision on a task. An approval becomes an item of its own first: delivery requires it, so a task that says
 * "approved" must never be without it.
 * @throws Refusal of the decision, before anything is written.
 */
export async function applyReviewDecision(
  id: string,
  decide: TaskCommand,
  { tasks, accepted, now }: { tasks: TaskStore; accepted: AcceptedTreeStore; now: Date },
): Promise<Task> {
  const task = await tasks.require(id);
  const review = decide(task)?.task.review;
  if (review?.decision === 'approve' && !task.plan) await accepted.recordApproved(id, review, now);
  return tasks.applyCommand(task, decide);
}
