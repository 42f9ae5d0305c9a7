import { Refusal } from '../../contract/refusal.ts';
import { currentAttempt, type Delivery, type Task } from '../../contract/task/task.ts';
import { firstOf } from '../../lib/cut.ts';
import { failedHow } from '../failures/failed-how.ts';
import { failureOf } from '../failures/of-attempt.ts';
import { type Change, change, epochSeconds, nowIso, withAttempt } from './change.ts';
import { outcomeOf } from './decide.ts';
import { deliveryRefusal } from './deliver.ts';
import { fixUpOf, noFixUp } from './fix-up.ts';

/** Days that a finished task stays in the table; the records on S3 stay longer. */
export const RETENTION_DAYS = 90;

/** What every end of a task sets. */
export const ended = (
  now: Date,
): Pick<Task, 'ended_at' | 'expires_at' | 'hold' | 'waits_for' | 'blocked_reason'> => ({
  ended_at: nowIso(now),
  expires_at: epochSeconds(now) + RETENTION_DAYS * 86_400,
  hold: null,
  waits_for: null,
  blocked_reason: null,
});

/** Does accepted work need a push? Nothing is pushed for an empty patch or for unverified work that was not asked for. */
export function mustDeliver(task: Task): boolean {
  const artifact = currentAttempt(task)?.artifact;
  if (
    task.plan ||
    !artifact ||
    artifact.patch_bytes === 0 ||
    task.delivery?.state === 'delivered' ||
    task.delivery?.state === 'refused'
  )
    return false;
  return deliveryRefusal(task, artifact) === null;
}

function withheld(task: Task, now: Date): Delivery | null {
  const artifact = currentAttempt(task)?.artifact;
  if (!artifact || task.delivery) return task.delivery;
  const reason = task.plan
    ? 'a plan is not delivered: its tasks are'
    : artifact.patch_bytes === 0
      ? 'the patch changes nothing'
      : (deliveryRefusal(task, artifact) ?? 'withheld');
  const { base_commit, tree } = artifact;
  return { state: 'withheld', base_commit, tree, branch: null, commit: null, reason, at: nowIso(now) };
}

/** The end of a task that went through the cascade: done when the last decision was accept and what must be delivered is, else failed. */
export function settle(task: Task, now: Date): Change | null {
  const attempt = currentAttempt(task);
  if (task.status === 'done' || task.status === 'failed' || task.status === 'cancelled') return null;
  const action = attempt?.decision?.action;
  if (action === 'accept' && mustDeliver(task)) return null;
  if (attempt && action === 'accept' && task.delivery?.state !== 'refused') {
    const verdict = attempt.verdict;
    const approved = task.review?.decision === 'approve';
    const verified = verdict?.verified ?? false;
    const flags = verdict
      ? [verdict.tests_run, verdict.quality_gates_run, verdict.completion_signals_checked]
      : [];
    return change(task, 'accept', now, {
      ...ended(now),
      attempts: withAttempt(task, {
        outcome: outcomeOf(attempt, { action: 'accept' }),
        ended_at: nowIso(now),
      }),
      delivery: withheld(task, now),
      verified,
      verification_count: flags.filter(Boolean).length,
      flagged_unverified: !verified && !approved,
    });
  }
  const refused = task.delivery?.state === 'refused';
  const code = refused
    ? 'delivery_refused'
    : ((attempt && failureOf(attempt)?.code) ?? 'verification_failed');
  const reasons = attempt?.verdict?.reasons.map((reason) => reason.message).join('; ');
  const said =
    attempt?.verification_failure?.message ??
    (attempt?.report?.status === 'failed' ? attempt.report.summary : reasons);
  const message = refused
    ? (task.delivery?.reason ?? 'the push was refused')
    : [attempt?.decision?.reason, said].filter(Boolean).join(': ');
  const how = attempt && failedHow({ ...attempt, outcome: attempt.outcome ?? 'failed' });
  const failed = change(task, 'fail', now, {
    ...ended(now),
    ...(attempt
      ? {
          attempts: withAttempt(task, {
            outcome: attempt.outcome ?? 'failed',
            ended_at: attempt.ended_at ?? nowIso(now),
          }),
        }
      : {}),
    failure: {
      code,
      message: firstOf(message || 'no attempt succeeded', 4_000),
      ...(how && { mode: how.mode }),
    },
  });
  return refused ? failed : withFixUp(failed, now);
}

/** The end of a task whose fix-up takes its place says so; who follows the table makes it. */
function withFixUp(failed: Change, now: Date): Change {
  const { task } = failed;
  const say = (why: string): Change => ({
    ...failed,
    task: {
      ...task,
      failure: task.failure && { ...task.failure, message: `${task.failure.message}; no fix-up: ${why}` },
    },
  });
  const why = noFixUp(task);
  if (why !== null) return why === '' ? failed : say(why);
  try {
    return { ...failed, task: { ...task, superseded_by: fixUpOf(task, task.depends_on, now).id } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return say(error.message);
  }
}
