import * as z from 'zod';

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

/** Which status may follow which: no status follows itself, and none is left out. */
export const WORK_REQUEST_NEXT_STATUSES: Readonly<Record<WorkRequestStatus, readonly WorkRequestStatus[]>> = {
  submitted: ['triaging', 'cancelled'],
  triaging: ['scoping', 'cancelled'],
  scoping: ['approved', 'cancelled'],
  approved: ['task_created', 'cancelled'],
  task_created: [],
  cancelled: [],
};

interface WorkRequestTransition {
  readonly from: readonly WorkRequestStatus[];
  readonly to: WorkRequestStatus;
  readonly why: string;
}

/** What may happen to a request. Conditional writes, docs and tests are made from it; a move over several steps walks through them in one write. */
export const WORK_REQUEST_TRANSITIONS = {
  clarify: { from: ['submitted', 'triaging'], to: 'scoping', why: 'a person has said what is meant' },
  approve: { from: ['submitted', 'scoping'], to: 'approved', why: 'a person, or its strategy, said yes' },
  reject: {
    from: ['submitted', 'triaging', 'scoping', 'approved'],
    to: 'cancelled',
    why: 'a person said no, also while its task is being made',
  },
  create: { from: ['approved'], to: 'task_created', why: 'its task is there' },
  refuse: { from: ['approved'], to: 'cancelled', why: 'no task can be made of it' },
} as const satisfies Record<string, WorkRequestTransition>;
export type WorkRequestEvent = keyof typeof WORK_REQUEST_TRANSITIONS;

/** What is walked through from one status to another, the last included; null where there is no way. A cancelled one goes straight there. */
export function findStatusPath(
  from: WorkRequestStatus,
  to: WorkRequestStatus,
): readonly WorkRequestStatus[] | null {
  if (WORK_REQUEST_NEXT_STATUSES[from].includes(to)) return [to];
  for (const next of WORK_REQUEST_NEXT_STATUSES[from]) {
    const rest = next === 'cancelled' ? null : findStatusPath(next, to);
    if (rest) return [next, ...rest];
  }
  return null;
}

export const isTerminalRequestStatus = (status: WorkRequestStatus): boolean =>
  WORK_REQUEST_NEXT_STATUSES[status].length === 0;
