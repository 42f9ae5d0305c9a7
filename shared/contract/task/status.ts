import * as z from 'zod';
import { defineLifecycle } from '../../lib/lifecycle.ts';

export const TASK_STATUSES = [
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
export const TaskStatus = z.enum(TASK_STATUSES);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A task in one of these states holds its files: no overlapping task of the same repository may be claimed. */
export const LIVE_TASK_STATUSES = [
  'claimed',
  'in_progress',
  'auth_required',
  'in_review',
] as const satisfies readonly TaskStatus[];
/** No event leads out of these, except `retry` out of `failed`. */
export const TERMINAL_TASK_STATUSES = [
  'done',
  'failed',
  'cancelled',
] as const satisfies readonly TaskStatus[];

const UNFINISHED_STATUSES = [
  'blocked',
  'open',
  ...LIVE_TASK_STATUSES,
] as const satisfies readonly TaskStatus[];

export const TASK_LIFECYCLE = defineLifecycle(
  'task',
  { statuses: TASK_STATUSES, initial: ['blocked', 'open'], terminal: TERMINAL_TASK_STATUSES },
  {
    unblock: { from: ['blocked'], to: 'open', reason: 'every dependency is done' },
    resolve: { from: ['open'], to: null, reason: 'the platform has resolved the base ref to a commit' },
    claim: { from: ['open'], to: 'claimed', reason: 'one agent took the task' },
    begin: { from: ['claimed'], to: 'in_progress', reason: 'first sign of life of the agent' },
    keep: {
      from: ['claimed', 'in_progress', 'auth_required'],
      to: null,
      reason: 'heartbeat, progress or launch of a running attempt',
    },
    park: {
      from: ['claimed', 'in_progress'],
      to: 'auth_required',
      reason: 'the agent needs an approval in mid-run',
    },
    resume: {
      from: ['auth_required'],
      to: 'claimed',
      reason: 'the approval was given: the attempt goes on, in a new box where it had one of ours',
    },
    deny: {
      from: ['auth_required'],
      to: 'cancelled',
      reason: 'the approval was denied, or nobody decided in time',
    },
    report: {
      from: ['claimed', 'in_progress'],
      to: 'in_review',
      reason: 'the agent finished, whatever it says of the result',
    },
    review: {
      from: ['in_review'],
      to: null,
      reason: "evidence, verdict, decision, delivery or a person's word",
    },
    reattempt: {
      from: ['in_review'],
      to: 'claimed',
      reason: 'the cascade tries again, on the same or a stronger model',
    },
    redeliver: {
      from: ['open'],
      to: 'in_review',
      reason: 'an operator retries a task whose work has passed, and whose delivery was lost',
    },
    reopen: {
      from: ['claimed', 'in_progress', 'auth_required', 'in_review'],
      to: 'open',
      reason: 'the lease ran out, the box died, or an outside agent must rework it or hands it back',
    },
    wait: { from: ['blocked', 'open'], to: null, reason: 'still waits for another task' },
    accept: {
      from: ['in_review'],
      to: 'done',
      reason: 'the verdict stands and what must be delivered is delivered',
    },
    fail: {
      from: ['open', 'claimed', 'in_progress', 'auth_required', 'in_review'],
      to: 'failed',
      reason: 'the cascade or the retry limit is exhausted, or an operator said so',
    },
    cancel: { from: UNFINISHED_STATUSES, to: 'cancelled', reason: 'an operator withdrew it' },
    outcome: {
      from: ['done'],
      to: null,
      reason: 'what was delivered was merged, closed or reverted where it was delivered to',
    },
    retry: { from: ['failed'], to: 'open', reason: 'an operator wants another round of attempts' },
  },
);

export type TaskLifecycleEvent = (typeof TASK_LIFECYCLE.events)[number];

export const isLiveStatus = (status: TaskStatus): boolean =>
  (LIVE_TASK_STATUSES as readonly TaskStatus[]).includes(status);
export const isTerminalStatus = (status: TaskStatus): boolean => TASK_LIFECYCLE.isTerminal(status);
