import { Refusal } from '../../refusal.ts';
import type { Attempt, BoxKind } from '../attempt.ts';
import { currentAttempt, type Task } from '../task.ts';
import { startsCascade } from './base.ts';
import { type Change, change, epochSeconds, nowIso, runningAttempt, withAttempt } from './change.ts';

/** Gives an attempt that brought nothing back to the queue, or ends the task when its retries are used up. */
function giveBack(
  task: Task,
  attempt: Attempt,
  outcome: 'expired' | 'infra_failed',
  why: string,
  now: Date,
): Change {
  const attempts = withAttempt(task, { ...attempt, outcome, ended_at: nowIso(now) });
  if (task.retries >= task.max_retries)
    return change(task, 'fail', now, {
      attempts,
      ended_at: nowIso(now),
      failure: {
        code: outcome === 'expired' ? 'lease_expired' : 'box_lost',
        message: `${why}; all ${task.max_retries} retries are used`,
      },
    });
  return change(task, 'reopen', now, { attempts, retries: task.retries + 1 });
}

/** A lease that has run out reopens the task; it never fails it while retries are left. Null: the lease holds, or there is none. */
export function expireLease(task: Task, now: Date): Change | null {
  const attempt = currentAttempt(task);
  if (!attempt || attempt.outcome !== null || attempt.report !== null) return null;
  if (
    !['claimed', 'in_progress', 'auth_required'].includes(task.status) ||
    attempt.lease_until >= epochSeconds(now)
  )
    return null;
  return giveBack(task, attempt, 'expired', `the lease of attempt ${attempt.number} ran out`, now);
}

/**
 * An outside agent gives its task back undone: it is open for others at once, and no retry is used up, because nothing has failed. A
 * task that the platform runs has no one to be given to.
 */
export function handBack(task: Task, number: number, reason: string, now: Date): Change {
  if (task.runner !== 'external')
    throw new Refusal('conflict', `task ${task.id} is managed: the platform runs it`);
  const attempt = runningAttempt(task, number);
  if (attempt.report) throw new Refusal('stale_lease', `attempt ${number} of task ${task.id} has reported`);
  return change(task, 'reopen', now, {
    attempts: withAttempt(task, {
      outcome: 'expired',
      ended_at: nowIso(now),
      progress: { message: `handed back: ${reason}`, percent: null, at: nowIso(now) },
    }),
  });
}

/** A box stopped without a report: the agent's costs a retry, the gates' and the delivery's are launched again by the cascade. */
export function boxLost(
  task: Task,
  number: number,
  kind: BoxKind,
  launchNumber: number,
  why: string,
  now: Date,
): Change | null {
  const attempt = currentAttempt(task);
  const launch = attempt?.[kind];
  if (
    !attempt ||
    attempt.number !== number ||
    attempt.outcome !== null ||
    !launch ||
    launch.number !== launchNumber ||
    launch.lost
  )
    return null;
  if (kind === 'agent') {
    if (attempt.report !== null || !['claimed', 'in_progress', 'auth_required'].includes(task.status))
      return null;
    return giveBack(task, attempt, 'infra_failed', why, now);
  }
  if (task.status !== 'in_review') return null;
  if (kind === 'gates' && (attempt.verification || attempt.verification_failure)) return null;
  if (kind === 'deliver' && (task.delivery?.state === 'delivered' || task.delivery?.state === 'refused'))
    return null;
  return change(task, 'review', now, {
    attempts: withAttempt(task, { [kind]: { ...launch, lost: true } }),
    run: task.run + 1,
  });
}

/** Starts the cascade anew where the task stands; the execution of the older run ends at its next step. */
export function restart(task: Task, now: Date): Change | null {
  if (task.status === 'open')
    return startsCascade(task) && task.waits_for === null
      ? change(task, 'wait', now, { run: task.run + 1 })
      : null;
  if (task.status === 'in_review') return change(task, 'review', now, { run: task.run + 1 });
  if (task.status === 'claimed' || task.status === 'in_progress')
    return change(task, 'keep', now, { run: task.run + 1 });
  return null;
}
