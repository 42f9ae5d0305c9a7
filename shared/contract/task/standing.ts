import type { BoxKind } from '../box-kind.ts';
import { Refusal } from '../refusal.ts';
import { isTerminal } from './status.ts';
import { currentAttempt, type Task } from './task.ts';

/** Whose token a call carries: one launch of one box of one attempt. */
export interface Holder {
  readonly caller: BoxKind;
  readonly attempt: number;
  readonly launch: number;
}

/**
 * What a box's token is still good for, from nothing to everything; each allows what stands before it. `repeat`: the report is in, and
 * only the same one again has an answer, because its first answer may have been lost. `read`: as well as looking at its own attempt.
 */
export const STANDINGS = ['over', 'repeat', 'read', 'live'] as const;
export type Standing = (typeof STANDINGS)[number];

export const allows = (standing: Standing, needed: Standing): boolean =>
  STANDINGS.indexOf(standing) >= STANDINGS.indexOf(needed);

/** A token ends with its launch, its report and its attempt, whichever is first. */
export function standing(task: Task, { caller, attempt: number, launch: of }: Holder): Standing {
  const attempt = task.attempts.find((each) => each.number === number);
  const launch = attempt?.[caller];
  if (!attempt || !launch || launch.number !== of) return 'over';
  if (launch.lost) return launch.parked !== undefined && task.status === 'auth_required' ? 'repeat' : 'over';
  const running =
    currentAttempt(task)?.number === number && attempt.outcome === null && !isTerminal(task.status);
  const reported =
    caller === 'agent'
      ? attempt.report !== null
      : caller === 'gates'
        ? attempt.verification !== null || attempt.verification_failure !== null
        : currentAttempt(task)?.number === number &&
          ['delivered', 'refused'].includes(task.delivery?.state ?? '');
  if (!reported) return running ? 'live' : 'over';
  // An outside agent may look at what became of its work while that is undecided.
  return running && caller === 'agent' ? 'read' : 'repeat';
}

/** Refuses what a token is no longer good for. */
export function requireStanding(task: Task, holder: Holder, needed: Standing): void {
  if (allows(standing(task, holder), needed)) return;
  throw new Refusal(
    'stale_lease',
    `the token of ${holder.caller} ${holder.launch} of attempt ${holder.attempt} of task ${task.id} has ended`,
  );
}

/** What a box may see of its task: its own attempt. */
export const ownPart = (task: Task, number: number): Task => ({
  ...task,
  attempts: task.attempts.filter((attempt) => attempt.number === number),
});
