import * as z from 'zod';
import type { TaskStatus } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';

export const PLAN_STATES = ['planning', 'proposed', 'creating', 'created', 'failed', 'cancelled'] as const;
export const PlanState = z.enum(PLAN_STATES);
export type PlanState = z.infer<typeof PlanState>;

/**
 * Where a plan stands is read off its task; there is nothing else to keep in step. In review it depends on what the review is about: a
 * proposal that holds waits for a word, one that has it becomes tasks, and all else is still being planned.
 */
const STATE_BY_STATUS: Readonly<Record<Exclude<TaskStatus, 'in_review'>, PlanState>> = {
  blocked: 'planning',
  open: 'planning',
  claimed: 'planning',
  in_progress: 'planning',
  auth_required: 'planning',
  done: 'created',
  failed: 'failed',
  cancelled: 'cancelled',
};

export function derivePlanState(
  task: Pick<Task, 'status' | 'hold' | 'review' | 'attempts' | 'plan'>,
): PlanState {
  if (task.status !== 'in_review') return STATE_BY_STATUS[task.status];
  if (task.hold && task.plan?.proposal) return 'proposed';
  const isApproved =
    task.review?.decision === 'approve' && task.review.tree === currentAttempt(task)?.artifact?.tree;
  return isApproved ? 'creating' : 'planning';
}
