import { isRemedyOutsideAttemptBudget } from '../../contract/failure/failure-classes.ts';
import type { Attempt, CascadeDecision } from '../../contract/task/attempt.ts';
import {
  computeReviewHoldExpiry,
  DEFAULT_REVIEW_HOLD_LIMIT,
  type ReviewHoldLimit,
} from '../../contract/task/hold-limit.ts';
import type { Task } from '../../contract/task/task.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { buildFailureClassification } from '../failures/failure-classification.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toIsoTime,
} from './task-change.ts';

/** How an attempt ended, from what is known of it when it is decided upon. */
export function determineAttemptOutcome(
  attempt: Attempt,
  decision: Pick<CascadeDecision, 'action'>,
): NonNullable<Attempt['outcome']> {
  if (decision.action === 'accept') return attempt.verdict?.verified === false ? 'unverified' : 'passed';
  if (decision.action === 'refer') return 'referred';
  const failure = classifyAttemptFailure(attempt);
  return failure && isRemedyOutsideAttemptBudget(failure.remedy) ? 'infra_failed' : 'failed';
}

/**
 * Writes down what was decided. An accepted attempt stays open until it is delivered; a referred one is held for a person;
 * the others are over. `counted`: where its judging is to be counted, when that was not set aside with it. An external task that must be reworked is opened again for its agents.
 */
export function recordCascadeDecision(
  task: Task,
  number: number,
  decision: Omit<CascadeDecision, 'at'>,
  now: Date,
  limit: ReviewHoldLimit = DEFAULT_REVIEW_HOLD_LIMIT,
  counted: Pick<Attempt, 'reservation' | 'extra_reservations'> = {},
): TaskChange | null {
  const attempt = requireRunningAttempt(task, number);
  const at = toIsoTime(now);
  if (
    attempt.decision &&
    attempt.decision.action === decision.action &&
    attempt.decision.reason === decision.reason
  )
    return null;
  const outcome =
    decision.action === 'accept' || decision.action === 'refer'
      ? null
      : determineAttemptOutcome(attempt, decision);
  const attempts = replaceCurrentAttempt(task, {
    decision: { ...decision, at },
    ...counted,
    outcome,
    ended_at: outcome === null ? null : at,
    ...(outcome !== null && { failure: buildFailureClassification({ ...attempt, outcome }) }),
  });
  const repeated =
    decision.action === 'retry' && outcome === 'infra_failed' ? { retries: task.retries + 1 } : {};
  if (decision.action === 'refer')
    return applyTaskEvent(task, 'review', now, {
      attempts,
      hold: {
        reasons: attempt.verdict?.reasons.length
          ? attempt.verdict.reasons.map((reason) => reason.message)
          : [decision.reason],
        since: at,
        ...computeReviewHoldExpiry(now, limit),
      },
    });
  if (task.runner === 'external' && (decision.action === 'retry' || decision.action === 'escalate'))
    return applyTaskEvent(task, 'reopen', now, { attempts, ...repeated });
  return applyTaskEvent(task, 'review', now, { attempts, hold: null, ...repeated });
}
