import type { Requirement, WorkRequest } from '../../contract/intake/schema.ts';
import {
  isOverRequest,
  REQUEST_MOVES,
  type RequestMove,
  type RequestStatus,
  walk,
} from '../../contract/intake/status.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { SubmitTask } from '../../contract/submission/schema.ts';
import { canonicalHash } from '../../lib/canonical.ts';
import { unclear } from '../coordination/clarification.ts';
import { ClarificationRequired } from '../failures/thrown.ts';
import { RETENTION_DAYS } from '../task-commands/settle.ts';

/** Why a person must say first what is meant; empty: it is clear, or somebody has said it. */
export const unclearIn = ({ requirement, notes }: Pick<WorkRequest, 'requirement' | 'notes'>): string[] =>
  notes === null ? unclear(requirement.acceptance_criteria, requirement.completion_signals.length) : [];

/** A request after a move. */
export interface Moved {
  readonly move: RequestMove;
  readonly request: WorkRequest;
}

const iso = (now: Date): string => now.toISOString();

/** A request that nobody has looked at; one of the direct strategy has its yes from the start. */
export function newRequest(
  requirement: Requirement,
  facts: {
    readonly id: string;
    readonly by: string;
    readonly strategy: WorkRequest['strategy'];
    readonly now: Date;
  },
): WorkRequest {
  const { id, by, strategy, now } = facts;
  const at = iso(now);
  const request: WorkRequest = {
    id,
    status: 'submitted',
    version: 1,
    strategy,
    requested_by: by,
    request_sha256: canonicalHash({ requirement, strategy }),
    requirement,
    notes: null,
    history: [{ status: 'submitted', at, by }],
    reason: null,
    created_at: at,
    updated_at: at,
    task_id: null,
    expires_at: null,
  };
  // What is unclear waits for a person, whatever its strategy is.
  if (strategy === 'review' || unclearIn(request).length > 0) return request;
  return { ...walked(request, 'approved', 'direct', now), version: 1 };
}

/** A request that has gone on to a status, through each that lies between. */
function walked(request: WorkRequest, to: RequestStatus, by: string, now: Date): WorkRequest {
  const at = iso(now);
  const steps = walk(request.status, to) ?? [];
  return {
    ...request,
    status: to,
    version: request.version + 1,
    history: [...request.history, ...steps.map((status) => ({ status, at, by }))],
    updated_at: at,
    expires_at: isOverRequest(to) ? Math.floor(now.getTime() / 1_000) + RETENTION_DAYS * 86_400 : null,
  };
}

/** @throws Refusal `conflict` where the table does not allow the move. */
function move(
  request: WorkRequest,
  name: RequestMove,
  by: string,
  now: Date,
  fields: Partial<WorkRequest>,
): Moved {
  const { from, to } = REQUEST_MOVES[name];
  if (!(from as readonly string[]).includes(request.status))
    throw new Refusal(
      'conflict',
      `request ${request.id} is ${request.status}; ${name} needs it to be ${from.join(' or ')}`,
    );
  return { move: name, request: { ...walked(request, to, by, now), ...fields } };
}

/** A person says what is meant. What was asked to be true in the end (`acceptance_criteria`, signals) stays as it was asked. */
export const clarify = (
  request: WorkRequest,
  said: {
    readonly notes: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
  },
  by: string,
  now: Date,
): Moved =>
  move(request, 'clarify', by, now, {
    notes: said.notes,
    requirement: {
      ...request.requirement,
      ...(said.title === undefined ? {} : { title: said.title }),
      ...(said.description === undefined ? {} : { description: said.description }),
    },
  });

/** A person says yes. Said again it is the same yes. @throws Refusal `conflict` as long as nobody has said what is meant where that is unclear. */
export function approveRequest(request: WorkRequest, by: string, now: Date): Moved | null {
  if (request.status === 'approved' || request.status === 'task_created') return null;
  const moved = move(request, 'approve', by, now, {});
  const reasons = unclearIn(request);
  if (reasons.length > 0)
    throw new Refusal(
      'conflict',
      `${new ClarificationRequired(`request ${request.id}`, reasons).message}. Say what is meant (clarify), or ask for it anew`,
    );
  return moved;
}

/** A person says no, which wins as long as its task is not written down. Said again it is the same no. */
export const rejectRequest = (request: WorkRequest, reason: string, by: string, now: Date): Moved | null =>
  request.status === 'cancelled' ? null : move(request, 'reject', by, now, { reason });

/** Its task is there. Null: a word that came meanwhile counts. */
export const taskCreated = (request: WorkRequest, now: Date): Moved | null =>
  request.status === 'approved' ? move(request, 'create', 'assay', now, { task_id: request.id }) : null;

/** No task can be made of it. Null: a word that came meanwhile counts. */
export const refuseRequest = (request: WorkRequest, reason: string, now: Date): Moved | null =>
  request.status === 'approved' ? move(request, 'refuse', 'assay', now, { reason }) : null;

/** Was there a yes before the no, so that a task may have been made? */
export const mayHaveTask = ({ status, history }: WorkRequest): boolean =>
  status === 'approved' || (status === 'cancelled' && history.some((each) => each.status === 'approved'));

/** The task that a request becomes: all that was asked, with what a person has said of it. */
export function taskOf({ requirement, notes }: WorkRequest): SubmitTask {
  if (notes === null) return requirement;
  const { description } = requirement;
  return {
    ...requirement,
    description: `${description}${description === '' ? '' : '\n\n'}## What was said of it\n${notes}`,
  };
}
