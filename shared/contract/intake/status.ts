import * as z from 'zod';
import { defineLifecycle } from '../../lib/lifecycle.ts';

export const WORK_REQUEST_STATUSES = [
  'submitted',
  'triaging',
  'scoping',
  'approved',
  'task_created',
  'cancelled',
] as const;
export const WorkRequestStatus = z.enum(WORK_REQUEST_STATUSES);
export type WorkRequestStatus = z.infer<typeof WorkRequestStatus>;

export const WORK_REQUEST_LIFECYCLE = defineLifecycle(
  'request',
  { statuses: WORK_REQUEST_STATUSES, initial: ['submitted'], terminal: ['task_created', 'cancelled'] },
  {
    clarify: { from: ['submitted', 'triaging'], to: 'scoping', reason: 'a person has said what is meant' },
    approve: {
      from: ['submitted', 'scoping'],
      to: 'approved',
      reason: 'an approver, or the `direct` strategy, approves it',
    },
    reject: {
      from: ['submitted', 'triaging', 'scoping', 'approved'],
      to: 'cancelled',
      reason: 'an approver rejects it, also while its task is being created',
    },
    create: { from: ['approved'], to: 'task_created', reason: 'its task exists' },
    refuse: { from: ['approved'], to: 'cancelled', reason: 'no task can be created from it' },
  },
);
export type WorkRequestEvent = (typeof WORK_REQUEST_LIFECYCLE.events)[number];

/** Statuses in the order in which a request that is not cancelled takes them. */
const PROGRESSION: readonly WorkRequestStatus[] = WORK_REQUEST_STATUSES.filter(
  (each) => each !== 'cancelled',
);

/** Returns each status that a request takes on an event: those between `from` and `to`, and `to`. Cancellation is one step. */
export const listWorkRequestStatusSteps = (
  from: WorkRequestStatus,
  to: WorkRequestStatus,
): readonly WorkRequestStatus[] =>
  to === 'cancelled' ? [to] : PROGRESSION.slice(PROGRESSION.indexOf(from) + 1, PROGRESSION.indexOf(to) + 1);
