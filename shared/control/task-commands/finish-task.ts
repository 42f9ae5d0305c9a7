import { Refusal } from '../../contract/refusal.ts';
import { currentAttempt, findJudgedAttempt, type Task, type TaskDelivery } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { buildFailureClassification } from '../failures/failure-classification.ts';
import { findDeliveryRefusal } from './deliver.ts';
import { buildFixUp, fixUpRefusal } from './fix-up.ts';
import { determineAttemptOutcome } from './record-cascade-decision.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  type TaskChange,
  toEpochSeconds,
  toIsoTime,
} from './task-change.ts';

/** Days that a finished task stays in the table; the records on S3 stay longer. */
export const TASK_RETENTION_DAYS = 90;

/** What every end of a task sets. */
export const taskEndFields = (
  now: Date,
): Pick<Task, 'ended_at' | 'expires_at' | 'hold' | 'waits_for' | 'blocked_reason'> => ({
  ended_at: toIsoTime(now),
  expires_at: toEpochSeconds(now) + TASK_RETENTION_DAYS * 86_400,
  hold: null,
  waits_for: null,
  blocked_reason: null,
});

/** Does accepted work need a push? Nothing is pushed for an empty patch or for unverified work that was not asked for. */
export function shouldDeliver(task: Task): boolean {
  const artifact = currentAttempt(task)?.artifact;
  if (
    task.plan ||
    task.runner === 'pull_request' ||
    !artifact ||
    artifact.patch_bytes === 0 ||
    task.delivery?.state === 'delivered' ||
    task.delivery?.state === 'refused'
  )
    return false;
  return findDeliveryRefusal(task, artifact) === null;
}

function withheldDelivery(task: Task, now: Date): TaskDelivery | null {
  const artifact = currentAttempt(task)?.artifact;
  if (!artifact || task.delivery) return task.delivery;
  const reason = task.plan
    ? 'a plan is not delivered: its tasks are'
    : task.runner === 'pull_request'
      ? 'a pull request is verified where it is; nothing is pushed'
      : artifact.patch_bytes === 0
        ? 'the patch changes nothing'
        : (findDeliveryRefusal(task, artifact) ?? 'withheld');
  const { base_commit, tree } = artifact;
  return { state: 'withheld', base_commit, tree, branch: null, commit: null, reason, at: toIsoTime(now) };
}

/** The end of a task that went through the cascade: done when the last decision was accept and what must be delivered is, else failed. */
export function finishTaskAfterCascade(task: Task, now: Date): TaskChange | null {
  const attempt = currentAttempt(task);
  if (task.status === 'done' || task.status === 'failed' || task.status === 'cancelled') return null;
  const action = attempt?.decision?.action;
  if (action === 'accept' && shouldDeliver(task)) return null;
  if (attempt && action === 'accept' && task.delivery?.state !== 'refused') {
    const { verdict } = findJudgedAttempt(task, attempt);
    const approved = task.review?.decision === 'approve';
    const verified = verdict?.verified ?? false;
    const flags = verdict
      ? [verdict.tests_run, verdict.quality_gates_run, verdict.completion_signals_checked]
      : [];
    return applyTaskEvent(task, 'accept', now, {
      ...taskEndFields(now),
      attempts: replaceCurrentAttempt(task, {
        outcome: determineAttemptOutcome({ ...attempt, verdict }, { action: 'accept' }),
        ended_at: toIsoTime(now),
      }),
      delivery: withheldDelivery(task, now),
      verified,
      verification_count: flags.filter(Boolean).length,
      flagged_unverified: !verified && !approved,
    });
  }
  const refused = task.delivery?.state === 'refused';
  const code = refused
    ? 'delivery_refused'
    : ((attempt && classifyAttemptFailure(attempt)?.code) ?? 'verification_failed');
  const reasons = attempt?.verdict?.reasons.map((reason) => reason.message).join('; ');
  const said =
    attempt?.verification_failure?.message ??
    (attempt?.report?.status === 'failed' ? attempt.report.summary : reasons);
  const message = refused
    ? (task.delivery?.reason ?? 'the push was refused')
    : [attempt?.decision?.reason, said].filter(Boolean).join(': ');
  const how = attempt && buildFailureClassification({ ...attempt, outcome: attempt.outcome ?? 'failed' });
  const failed = applyTaskEvent(task, 'fail', now, {
    ...taskEndFields(now),
    ...(attempt
      ? {
          attempts: replaceCurrentAttempt(task, {
            outcome: attempt.outcome ?? 'failed',
            ended_at: attempt.ended_at ?? toIsoTime(now),
          }),
        }
      : {}),
    failure: {
      code,
      message: truncateText(message || 'no attempt succeeded', 4_000),
      ...(how && { mode: how.mode }),
    },
  });
  return refused ? failed : addFixUp(failed, now);
}

/** The end of a task whose fix-up takes its place says so; who follows the table makes it. */
function addFixUp(failed: TaskChange, now: Date): TaskChange {
  const { task } = failed;
  const say = (why: string): TaskChange => ({
    ...failed,
    task: {
      ...task,
      failure: task.failure && { ...task.failure, message: `${task.failure.message}; no fix-up: ${why}` },
    },
  });
  const why = fixUpRefusal(task);
  if (why !== null) return why === '' ? failed : say(why);
  try {
    return { ...failed, task: { ...task, superseded_by: buildFixUp(task, task.depends_on, now).id } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return say(error.message);
  }
}
