import * as z from 'zod';

export const STATUSES = [
  'blocked',
  'open',
  'claimed',
  'in_progress',
  'auth_required',
  'in_review',
  'done',
  'failed',
  'cancelled',
] as const;
export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;

/** A task in one of these states holds its files: no overlapping task of the same repository may be claimed. */
export const LIVE_STATUSES = [
  'claimed',
  'in_progress',
  'auth_required',
  'in_review',
] as const satisfies readonly Status[];
/** No event leads out of these, except `retry` out of `failed`. */
export const TERMINAL_STATUSES = ['done', 'failed', 'cancelled'] as const satisfies readonly Status[];

const UNFINISHED = ['blocked', 'open', ...LIVE_STATUSES] as const satisfies readonly Status[];

interface Transition {
  readonly from: readonly Status[];
  /** Null: the event is allowed in these states and leaves the status as it is. */
  readonly to: Status | null;
  readonly why: string;
}

/**
 * The one table of what may happen to a task. Conditional writes, the diagram in the docs and the
 * property tests are all made from it.
 */
export const TRANSITIONS = {
  unblock: { from: ['blocked'], to: 'open', why: 'every dependency is done' },
  resolve: { from: ['open'], to: null, why: 'the platform has resolved the base ref to a commit' },
  claim: { from: ['open'], to: 'claimed', why: 'one agent took the task' },
  begin: { from: ['claimed'], to: 'in_progress', why: 'first sign of life of the agent' },
  keep: {
    from: ['claimed', 'in_progress', 'auth_required'],
    to: null,
    why: 'heartbeat, progress or launch of a running attempt',
  },
  park: {
    from: ['claimed', 'in_progress'],
    to: 'auth_required',
    why: 'the agent needs an approval in mid-run',
  },
  resume: {
    from: ['auth_required'],
    to: 'claimed',
    why: 'the approval was given: the attempt goes on, in a new box where it had one of ours',
  },
  deny: {
    from: ['auth_required'],
    to: 'cancelled',
    why: 'the approval was denied, or nobody decided in time',
  },
  report: {
    from: ['claimed', 'in_progress'],
    to: 'in_review',
    why: 'the agent finished, whatever it says of the result',
  },
  review: { from: ['in_review'], to: null, why: "evidence, verdict, decision, delivery or a person's word" },
  reattempt: {
    from: ['in_review'],
    to: 'claimed',
    why: 'the cascade tries again, on the same or a stronger model',
  },
  reopen: {
    from: ['claimed', 'in_progress', 'auth_required', 'in_review'],
    to: 'open',
    why: 'the lease ran out, the box died, or an outside agent must rework it or hands it back',
  },
  wait: { from: ['blocked', 'open'], to: null, why: 'still waits for another task' },
  accept: {
    from: ['in_review'],
    to: 'done',
    why: 'the verdict stands and what must be delivered is delivered',
  },
  fail: {
    from: ['open', 'claimed', 'in_progress', 'auth_required', 'in_review'],
    to: 'failed',
    why: 'the cascade or the retry limit is exhausted, or an operator said so',
  },
  cancel: { from: [...UNFINISHED], to: 'cancelled', why: 'an operator withdrew it' },
  outcome: {
    from: ['done'],
    to: null,
    why: 'what was delivered was merged, closed or reverted where it was delivered to',
  },
  retry: { from: ['failed'], to: 'open', why: 'an operator wants another round of attempts' },
} as const satisfies Record<string, Transition>;

export type TaskEvent = keyof typeof TRANSITIONS;

export const isLive = (status: Status): boolean => (LIVE_STATUSES as readonly Status[]).includes(status);
export const isTerminal = (status: Status): boolean =>
  (TERMINAL_STATUSES as readonly Status[]).includes(status);

/** The statuses in which `event` is allowed. */
export const allowedFrom = (event: TaskEvent): readonly Status[] => TRANSITIONS[event].from;

/** The status after `event`, or null when the event is not allowed in `status`. */
export function next(status: Status, event: TaskEvent): Status | null {
  const transition: Transition = TRANSITIONS[event];
  if (!transition.from.includes(status)) return null;
  return transition.to ?? status;
}
