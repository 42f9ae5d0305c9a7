import { findPendingApproval } from '../../contract/approval/schema.ts';
import { isRestoredProtectedFile } from '../../contract/evidence/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { MAX_ATTEMPTS_BEFORE_RETRY } from '../../contract/task/shrink-task.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { applyApprovalEvent } from './approval-request.ts';
import { parseFullCommitId, requireSameBaseCommit, shouldStartCascade } from './base-commit.ts';
import { taskEndFields } from './finish-task.ts';
import {
  applyTaskEvent,
  refuseReviewOfOwnWork,
  replaceCurrentAttempt,
  type TaskChange,
  toIsoTime,
} from './task-change.ts';

const closeAttempt = (task: Task, outcome: 'cancelled' | 'failed', now: Date): Partial<Task> => {
  const attempt = currentAttempt(task);
  return attempt && attempt.outcome === null
    ? { attempts: replaceCurrentAttempt(task, { outcome, ended_at: toIsoTime(now) }) }
    : {};
};

/** Rejects the pending approval request of a task that ends. */
const closeApprovals = (task: Task, now: Date): Partial<Task> => {
  const pending = findPendingApproval(task);
  return pending
    ? {
        approvals: applyApprovalEvent(task, pending.number, 'reject', {
          decided_at: toIsoTime(now),
          decided_by: 'assay',
          decision_reason: 'the task ended before anybody had decided',
        }),
      }
    : {};
};

/** Leave to push was given: what then ends the task must be what came of the push, or work would go out of a task that says it failed. */
function refuseDuringDelivery(task: Task, word: 'cancelled' | 'failed'): void {
  if (task.delivery?.state === 'pushing' || task.delivery?.state === 'delivered')
    throw new Refusal('conflict', `task ${task.id} is being delivered; it can no longer be ${word}`);
}

/** Withdraws a task. A second cancel is a repeat. */
export function cancelTask(task: Task, reason: string, by: string, now: Date): TaskChange | null {
  if (task.status === 'cancelled') return null;
  refuseDuringDelivery(task, 'cancelled');
  return applyTaskEvent(task, 'cancel', now, {
    ...closeAttempt(task, 'cancelled', now),
    ...taskEndFields(now),
    failure: { code: 'cancelled', message: `${by}: ${reason}` },
  });
}

/** An operator ends a task as failed. */
export function failTaskByOperator(task: Task, reason: string, by: string, now: Date): TaskChange | null {
  if (task.status === 'failed') return null;
  refuseDuringDelivery(task, 'failed');
  return applyTaskEvent(task, 'fail', now, {
    ...closeAttempt(task, 'failed', now),
    ...taskEndFields(now),
    failure: { code: 'failed_by_operator', message: `${by}: ${reason}` },
  });
}

/** Ends a task whose next attempt could cost more than there is. It can be tried again when there is more. */
export const failOutOfBudget = (task: Task, why: string, now: Date): TaskChange =>
  applyTaskEvent(task, 'fail', now, {
    ...closeAttempt(task, 'failed', now),
    ...taskEndFields(now),
    failure: { code: 'budget_exhausted', message: why },
  });

/**
 * Starts another round of a failed task: budget and retries start anew, the history stays. The commit of `base_ref` is resolved again,
 * because a missing or broken branch may have been mended.
 */
export function startRetryRound(task: Task, now: Date): TaskChange {
  if (task.attempts.length >= MAX_ATTEMPTS_BEFORE_RETRY)
    throw new Refusal(
      'conflict',
      `task ${task.id} has had ${task.attempts.length} attempts, and no room for another round; submit it again as a new task`,
    );
  if (task.superseded_by !== undefined)
    throw new Refusal(
      'conflict',
      `task ${task.id} has a fix-up, and tasks that depended on it wait for that: retry ${task.superseded_by} instead`,
    );
  const base_commit = parseFullCommitId(task.base_ref);
  return applyTaskEvent(task, 'retry', now, {
    run: shouldStartCascade({ ...task, base_commit }) ? task.run + 1 : task.run,
    base_commit,
    resolved_role: null,
    base_autonomy: undefined,
    resolved_workflow: undefined,
    image: undefined,
    first_budgeted_attempt: (task.attempts.at(-1)?.number ?? 0) + 1,
    ...closeApprovals(task, now),
    retries: 0,
    failure: null,
    ended_at: null,
    expires_at: null,
    delivery: null,
    review: null,
  });
}

/** The files that an approval lets out although they were put back for the check: as many as have room, and how many there are besides. */
function acceptedProtectedFiles(verification: Attempt['verification']): Partial<NonNullable<Task['review']>> {
  if (!verification) return {};
  const files = verification.protected_files.filter(isRestoredProtectedFile).map(({ path }) => path);
  if (files.length === 0) return {};
  const more = verification.restored_file_count - files.length;
  return { accepted_protected_files: files, ...(more > 0 ? { accepted_protected_files_omitted: more } : {}) };
}

/** A person's word on a held task. It counts for the work that the person looked at. */
export function reviewHeldTask(
  task: Task,
  decision: 'approve' | 'reject',
  reason: string,
  by: string,
  { tree, base_commit }: { readonly tree: string; readonly base_commit?: string | undefined },
  now: Date,
): TaskChange | null {
  if (task.review && task.review.tree === tree && task.review.decision === decision && !task.hold)
    return null;
  const attempt = currentAttempt(task);
  if (!task.hold || !attempt) throw new Refusal('conflict', `task ${task.id} is not held for a person`);
  if (attempt.artifact?.tree !== tree)
    throw new Refusal('invalid', `the held tree is ${attempt.artifact?.tree ?? 'unknown'}`, [
      { pointer: '/tree', message: `is not the held tree ${attempt.artifact?.tree ?? ''}` },
    ]);
  refuseReviewOfOwnWork(task, attempt, by);
  const base = requireSameBaseCommit(task, base_commit);
  const accepted = decision === 'approve' ? acceptedProtectedFiles(attempt.verification) : {};
  const reviewed = applyTaskEvent(task, 'review', now, {
    review: { decision, reason, by, at: toIsoTime(now), base_commit: base, tree, ...accepted },
    hold: null,
    run: task.run + 1,
  });
  return task.runner === 'external' ? { ...reviewed, reviewers: [by] } : reviewed;
}
