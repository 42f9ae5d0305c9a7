import { Refusal } from '../../contract/refusal.ts';
import { verdictJudgingCost } from '../../contract/task/judging-cost.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { taskEndFields } from './finish-task.ts';
import { applyTaskEvent, replaceCurrentAttempt, type TaskChange, toIsoTime } from './task-change.ts';

/** How often the verdict of one attempt may be asked for again: each time costs what its judges cost. */
export const MAX_REVERIFICATIONS = 10;
const MAX_REASON = 500;

/**
 * The janitor is to come to its verdict once more, on the same evidence: a held task goes back to where its evidence was in. What the
 * earlier verdict said and cost stays. Null: it is on its way already.
 */
export function requestReverification(task: Task, reason: string, by: string, now: Date): TaskChange | null {
  const attempt = currentAttempt(task);
  if (
    task.status === 'in_review' &&
    !task.hold &&
    attempt?.reverification &&
    attempt.outcome === null &&
    !attempt.verdict
  )
    return null;
  if (!task.hold || !attempt?.verdict || !attempt.verification)
    throw new Refusal(
      'conflict',
      `task ${task.id} is not held with a verdict; only such a verdict is asked for again${task.status === 'failed' ? ': `retry` gives a failed task another round' : ''}`,
    );
  const times = (attempt.reverification?.count ?? 0) + 1;
  if (times > MAX_REVERIFICATIONS)
    throw new Refusal(
      'conflict',
      `attempt ${attempt.number} of task ${task.id} was verified ${times} times; decide about it`,
    );
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      verdict: null,
      decision: null,
      reverification: {
        count: times,
        earlier_judging_cost_usd: verdictJudgingCost(attempt),
        earlier_verdict: attempt.verdict.verdict,
        reason: truncateText(reason, MAX_REASON),
        by,
        at: toIsoTime(now),
      },
    }),
    hold: null,
    run: task.run + 1,
  });
}

/** Nobody has decided in time: what the deployment says of that happens, and never a pass. Null: there is time, or no limit. */
export function expireReviewHold(task: Task, now: Date): TaskChange | null {
  const { hold } = task;
  const attempt = currentAttempt(task);
  if (!attempt || !hold?.expires_at || Date.parse(hold.expires_at) > now.getTime()) return null;
  const why = `no person has decided between ${hold.since} and ${hold.expires_at}`;
  if (hold.expiry_outcome === 'reject' && attempt.artifact)
    return applyTaskEvent(task, 'review', now, {
      review: {
        decision: 'reject',
        reason: why,
        by: 'assay',
        at: toIsoTime(now),
        base_commit: attempt.artifact.base_commit,
        tree: attempt.artifact.tree,
      },
      hold: null,
      run: task.run + 1,
    });
  return applyTaskEvent(task, 'fail', now, {
    ...(attempt.outcome === null && {
      attempts: replaceCurrentAttempt(task, { outcome: 'referred', ended_at: toIsoTime(now) }),
    }),
    ...taskEndFields(now),
    failure: { code: 'review_expired', message: truncateText(`${why}: ${hold.reasons.join('; ')}`, 4_000) },
  });
}
