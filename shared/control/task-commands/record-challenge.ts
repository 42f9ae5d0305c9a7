import { listFailedChecks, MAX_NAMED_FAILED_CHECKS } from '../../contract/evidence/failed-checks.ts';
import { CHALLENGE_GATE } from '../../contract/evidence/gate-names.ts';
import type { ChallengeOutcome } from '../../contract/evidence/independent.ts';
import type { GateEvidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Attempt, ContainerLaunch } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { buildMissingChallengeEvidence } from '../../reviews/engine/missing-challenge.ts';
import { decideChallengeEffect } from '../verdict/apply-challenge.ts';
import type { PlannedChallenge } from '../verdict/plan-challenge.ts';
import {
  endJudgingClaim,
  isAwaitingVerdict,
  recordVerdict,
  summarizeGateEvidence,
} from './record-verification.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireAttempt,
  requireRunningAttempt,
  type TaskChange,
} from './task-change.ts';

/** Has the containers of an earlier challenge count no longer, so that another one starts. */
const endEarlierLaunches = ({ excused_losses: _, ...launch }: ContainerLaunch): ContainerLaunch => ({
  ...launch,
  lost: true,
  earlier_launches: launch.number,
});

/**
 * Asks for a challenge in the place of a verdict, also in the place of an earlier challenge. Null: nobody waits for a verdict of this run.
 */
export function requestChallenge(
  task: Task,
  number: number,
  run: number,
  challenge: PlannedChallenge,
  now: Date,
): TaskChange | null {
  if (!isAwaitingVerdict(task, number, run)) return null;
  const judged = endJudgingClaim(requireRunningAttempt(task, number), challenge.pending_verdict);
  const { verification, challenger } = judged;
  const challenged: Attempt = {
    ...judged,
    challenge,
    ...(challenger && { challenger: endEarlierLaunches(challenger) }),
    verification: verification && {
      ...verification,
      gates: verification.gates.filter(({ name }) => name !== CHALLENGE_GATE),
    },
  };
  return applyTaskEvent(task, 'review', now, { attempts: [...task.attempts.slice(0, -1), challenged] });
}

/**
 * Records how a challenge ended. The janitor then joins it with the verdict that is pending. A repeat changes nothing.
 * @param key object with the whole entry; null: there is none
 */
export function recordChallenge(
  task: Task,
  number: number,
  entry: GateEvidence,
  key: string | null,
  now: Date,
): TaskChange | null {
  const attempt = requireAttempt(task, number);
  const { challenge, verification } = attempt;
  if (!challenge || challenge.outcome !== null || !verification) return null;
  requireRunningAttempt(task, number);
  const effect = decideChallengeEffect(entry, challenge);
  const added = listFailedChecks({ signals: [], gates: [entry] }).map(({ check, message }) => ({
    check,
    message,
  }));
  const outcome = entry.independent?.challenge?.outcome ?? 'unreadable_answer';
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      challenge: { ...challenge, outcome, effect, key },
      verification: {
        ...verification,
        gates: [summarizeGateEvidence(entry), ...verification.gates],
        failed_checks: [...added, ...verification.failed_checks].slice(0, MAX_NAMED_FAILED_CHECKS),
      },
    }),
  });
}

/** Records the verdict that was pending, as far as the challenge leaves it. */
export function recordChallengedVerdict(
  task: Task,
  number: number,
  run: number,
  verdict: Verdict,
  now: Date,
): TaskChange | null {
  const { challenge } = requireAttempt(task, number);
  if (!challenge || !isAwaitingVerdict(task, number, run)) return null;
  const attempts = replaceCurrentAttempt(task, { challenge: { ...challenge, pending_verdict: null } });
  return recordVerdict({ ...task, attempts }, number, verdict, now);
}

/** Records a challenge that gave no answer. */
export function recordChallengeWithoutAnswer(
  task: Task,
  number: number,
  outcome: ChallengeOutcome,
  why: string,
  now: Date,
): TaskChange | null {
  const { challenge } = requireAttempt(task, number);
  if (!challenge) return null;
  return recordChallenge(
    task,
    number,
    buildMissingChallengeEvidence(outcome, why, challenge.mode),
    null,
    now,
  );
}
