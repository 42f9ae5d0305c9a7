import * as z from 'zod';

export const REQUEST_STATUSES = [
  'submitted',
  'triaging',
  'scoping',
  'approved',
  'task_created',
  'cancelled',
] as const;
export const RequestStatus = z.enum(REQUEST_STATUSES);
export type RequestStatus = z.infer<typeof RequestStatus>;

/** Which status may follow which: no status follows itself, and none is left out. */
export const REQUEST_STEPS: Readonly<Record<RequestStatus, readonly RequestStatus[]>> = {
  submitted: ['triaging', 'cancelled'],
  triaging: ['scoping', 'cancelled'],
  scoping: ['approved', 'cancelled'],
  approved: ['task_created', 'cancelled'],
  task_created: [],
  cancelled: [],
};

interface Move {
  readonly from: readonly RequestStatus[];
  readonly to: RequestStatus;
  readonly why: string;
}

/** What may happen to a request. Conditional writes, docs and tests are made from it; a move over several steps walks through them in one write. */
export const REQUEST_MOVES = {
  clarify: { from: ['submitted', 'triaging'], to: 'scoping', why: 'a person has said what is meant' },
  approve: { from: ['submitted', 'scoping'], to: 'approved', why: 'a person, or its strategy, said yes' },
  reject: {
    from: ['submitted', 'triaging', 'scoping', 'approved'],
    to: 'cancelled',
    why: 'a person said no, also while its task is being made',
  },
  create: { from: ['approved'], to: 'task_created', why: 'its task is there' },
  refuse: { from: ['approved'], to: 'cancelled', why: 'no task can be made of it' },
} as const satisfies Record<string, Move>;
export type RequestMove = keyof typeof REQUEST_MOVES;

/** What is walked through from one status to another, the last included; null where there is no way. A cancelled one goes straight there. */
export function walk(from: RequestStatus, to: RequestStatus): readonly RequestStatus[] | null {
  if (REQUEST_STEPS[from].includes(to)) return [to];
  for (const next of REQUEST_STEPS[from]) {
    const rest = next === 'cancelled' ? null : walk(next, to);
    if (rest) return [next, ...rest];
  }
  return null;
}

export const isOverRequest = (status: RequestStatus): boolean => REQUEST_STEPS[status].length === 0;
