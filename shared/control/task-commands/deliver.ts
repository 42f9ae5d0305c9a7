import type { Verdict } from '../../contract/evidence/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import {
  type BaseCommitAndTree,
  currentAttempt,
  findDeliveryBranch,
  findJudgedAttempt,
  type Task,
} from '../../contract/task/task.ts';
import { requireSameBaseCommit } from './base-commit.ts';
import {
  applyTaskEvent,
  requireAttempt,
  requireRunningAttempt,
  type TaskChange,
  toIsoTime,
} from './task-change.ts';

/** Tells whether a verdict lets work out: it has passed, and is verified where the task asks for that. */
export const isDeliverableVerdict = (
  { deliver_unverified }: Pick<Task, 'deliver_unverified'>,
  { verdict, verified }: Pick<Verdict, 'verdict' | 'verified'>,
): boolean => verdict === 'pass' && (verified || deliver_unverified === true);

/** Why this work may not be delivered, or null when it may: the verdict, or a person, must have passed this very tree on this very base. */
export function findDeliveryRefusal(task: Task, { base_commit, tree }: BaseCommitAndTree): string | null {
  const attempt = currentAttempt(task);
  if (task.status !== 'in_review' || !attempt || attempt.outcome !== null)
    return `task ${task.id} is ${task.status}, with nothing to deliver`;
  if (attempt.decision?.action !== 'accept') return 'the attempt is not accepted';
  if (attempt.artifact?.tree !== tree)
    return `the attempt's tree is ${attempt.artifact?.tree ?? 'unknown'}, not ${tree}`;
  if (task.base_commit !== base_commit || attempt.artifact.base_commit !== base_commit)
    return `the task is bound to base ${task.base_commit ?? 'unknown'}, not ${base_commit}`;
  const isThis = (other: BaseCommitAndTree): boolean =>
    other.tree === tree && other.base_commit === base_commit;
  if (task.review?.decision === 'approve' && isThis(task.review)) return null;
  const { verdict } = findJudgedAttempt(task, attempt);
  if (verdict?.verdict !== 'pass' || !isThis(verdict))
    return `there is no passing verdict on tree ${tree} and base ${base_commit}`;
  if (!isDeliverableVerdict(task, verdict))
    return 'the work is unverified and the task does not say deliver_unverified';
  return null;
}

/** Leave to push, written before the push. The conditional write is what keeps gates from being outrun. */
export function authorizeDelivery(
  task: Task,
  number: number,
  work: BaseCommitAndTree,
  now: Date,
): TaskChange | null {
  const { tree } = work;
  const base_commit = requireSameBaseCommit(task, work.base_commit);
  if (task.delivery?.state === 'delivered' && task.delivery.tree === tree) return null;
  requireRunningAttempt(task, number);
  const refusal = findDeliveryRefusal(task, work);
  if (refusal !== null) throw new Refusal('conflict', refusal);
  if (task.delivery?.state === 'pushing' && task.delivery.tree === tree) return null;
  return applyTaskEvent(task, 'review', now, {
    delivery: {
      state: 'pushing',
      base_commit,
      tree,
      branch: findDeliveryBranch(task),
      commit: null,
      reason: null,
      at: toIsoTime(now),
    },
  });
}

/** The push is done. Only the tree that leave was given for can be reported. */
export function recordPushedDelivery(
  task: Task,
  number: number,
  { base_commit, tree }: BaseCommitAndTree,
  commit: string,
  now: Date,
): TaskChange | null {
  requireAttempt(task, number);
  requireSameBaseCommit(task, base_commit);
  if (task.delivery?.state === 'delivered' && task.delivery.tree === tree && task.delivery.commit === commit)
    return null;
  if (task.delivery?.state !== 'pushing' || task.delivery.tree !== tree)
    throw new Refusal('conflict', `no leave was given to push tree ${tree}`);
  return applyTaskEvent(task, 'review', now, {
    delivery: {
      ...task.delivery,
      state: 'delivered',
      commit,
      at: toIsoTime(now),
    },
  });
}

/** The remote refused the push, or the box found that the tree is not the one it was told. */
export function recordDeliveryRefusal(
  task: Task,
  number: number,
  work: BaseCommitAndTree,
  reason: string,
  now: Date,
): TaskChange | null {
  requireRunningAttempt(task, number);
  const base_commit = requireSameBaseCommit(task, work.base_commit);
  if (task.delivery?.state === 'delivered' || task.delivery?.state === 'refused') return null;
  return applyTaskEvent(task, 'review', now, {
    delivery: {
      state: 'refused',
      base_commit,
      tree: work.tree,
      branch: findDeliveryBranch(task),
      commit: null,
      reason,
      at: toIsoTime(now),
    },
  });
}
