import { Refusal } from '../../contract/refusal.ts';
import { verdictCost } from '../../contract/task/judging-cost.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { firstOf } from '../../lib/cut.ts';
import { type Change, change, nowIso, withAttempt } from './change.ts';
import { ended } from './settle.ts';

/** How often the verdict of one attempt may be asked for again: each time costs what its judges cost. */
export const MAX_REPEATS = 10;
const MAX_REASON = 500;

/**
 * The janitor is to come to its verdict once more, on the same evidence: a held task goes back to where its evidence was in. What the
 * earlier verdict said and cost stays. Null: it is on its way already.
 */
export function verifyAgain(task: Task, reason: string, by: string, now: Date): Change | null {
  const attempt = currentAttempt(task);
  if (
    task.status === 'in_review' &&
    !task.hold &&
    attempt?.repeated &&
    attempt.outcome === null &&
    !attempt.verdict
  )
    return null;
  if (!task.hold || !attempt?.verdict || !attempt.verification)
    throw new Refusal(
      'conflict',
      `task ${task.id} is not held with a verdict; only such a verdict is asked for again${task.status === 'failed' ? ': `retry` gives a failed task another round' : ''}`,
    );
  const times = (attempt.repeated?.times ?? 0) + 1;
  if (times > MAX_REPEATS)
    throw new Refusal(
      'conflict',
      `attempt ${attempt.number} of task ${task.id} was verified ${times} times; decide about it`,
    );
  return change(task, 'review', now, {
    attempts: withAttempt(task, {
      verdict: null,
      decision: null,
      repeated: {
        times,
        judging_cost_usd: verdictCost(attempt),
        earlier: attempt.verdict.verdict,
        reason: firstOf(reason, MAX_REASON),
        by,
        at: nowIso(now),
      },
    }),
    hold: null,
    run: task.run + 1,
  });
}

/** Nobody has decided in time: what the deployment says of that happens, and never a pass. Null: there is time, or no limit. */
export function expireHold(task: Task, now: Date): Change | null {
  const { hold } = task;
  const attempt = currentAttempt(task);
  if (!attempt || !hold?.until || Date.parse(hold.until) > now.getTime()) return null;
  const why = `no person has decided between ${hold.since} and ${hold.until}`;
  if (hold.outcome === 'reject' && attempt.artifact)
    return change(task, 'review', now, {
      review: {
        decision: 'reject',
        reason: why,
        by: 'assay',
        at: nowIso(now),
        base_commit: attempt.artifact.base_commit,
        tree: attempt.artifact.tree,
      },
      hold: null,
      run: task.run + 1,
    });
  return change(task, 'fail', now, {
    ...(attempt.outcome === null && {
      attempts: withAttempt(task, { outcome: 'referred', ended_at: nowIso(now) }),
    }),
    ...ended(now),
    failure: { code: 'review_expired', message: firstOf(`${why}: ${hold.reasons.join('; ')}`, 4_000) },
  });
}
