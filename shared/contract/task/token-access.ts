import type { LaunchKind } from '../launch-kind.ts';
import { Refusal } from '../refusal.ts';
import { isTerminalStatus } from './status.ts';
import { currentAttempt, type Task } from './task.ts';

/** Whose token a call carries: one launch of one box of one attempt. */
export interface LaunchTokenHolder {
  readonly caller: LaunchKind;
  readonly attempt: number;
  readonly launch: number;
}

/**
 * What a box's token is still good for, from nothing to everything; each allows what stands before it. `repeat`: the report is in, and
 * only the same one again has an answer, because its first answer may have been lost. `read`: as well as looking at its own attempt.
 */
export const LAUNCH_TOKEN_ACCESS_LEVELS = ['over', 'repeat', 'read', 'live'] as const;
export type LaunchTokenAccess = (typeof LAUNCH_TOKEN_ACCESS_LEVELS)[number];

export const isAccessSufficient = (standing: LaunchTokenAccess, needed: LaunchTokenAccess): boolean =>
  LAUNCH_TOKEN_ACCESS_LEVELS.indexOf(standing) >= LAUNCH_TOKEN_ACCESS_LEVELS.indexOf(needed);

/** A token ends with its launch, its report and its attempt, whichever is first. */
export function determineLaunchTokenAccess(
  task: Task,
  { caller, attempt: number, launch: of }: LaunchTokenHolder,
): LaunchTokenAccess {
  const attempt = task.attempts.find((each) => each.number === number);
  const launch = attempt?.[caller];
  if (!attempt || !launch || launch.number !== of) return 'over';
  if (launch.lost)
    return launch.parked_for_approval !== undefined && task.status === 'auth_required' ? 'repeat' : 'over';
  const running =
    currentAttempt(task)?.number === number && attempt.outcome === null && !isTerminalStatus(task.status);
  const reported =
    caller === 'agent'
      ? attempt.report !== null
      : caller === 'challenger'
        ? typeof attempt.challenge?.outcome === 'string'
        : caller === 'gates'
          ? attempt.verification !== null || attempt.verification_failure !== null
          : currentAttempt(task)?.number === number &&
            ['delivered', 'refused'].includes(task.delivery?.state ?? '');
  if (!reported) return running ? 'live' : 'over';
  // An outside agent may look at what became of its work while that is undecided.
  return running && caller === 'agent' ? 'read' : 'repeat';
}

/** Refuses what a token is no longer good for. */
export function requireLaunchTokenAccess(
  task: Task,
  holder: LaunchTokenHolder,
  needed: LaunchTokenAccess,
): void {
  if (isAccessSufficient(determineLaunchTokenAccess(task, holder), needed)) return;
  throw new Refusal(
    'stale_lease',
    `the token of ${holder.caller} ${holder.launch} of attempt ${holder.attempt} of task ${task.id} has ended`,
  );
}

/** What a box may see of its task: its own attempt. */
export const restrictToAttempt = (task: Task, number: number): Task => ({
  ...task,
  attempts: task.attempts.filter((attempt) => attempt.number === number),
});
