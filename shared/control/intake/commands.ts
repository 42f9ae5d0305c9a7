import type { WorkRequest, WorkRequestTaskSubmission } from '../../contract/intake/schema.ts';
import {
  listWorkRequestStatusSteps,
  WORK_REQUEST_LIFECYCLE,
  type WorkRequestEvent,
  type WorkRequestStatus,
} from '../../contract/intake/status.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import { unclearCriteriaReasons } from '../coordination/clarification.ts';
import { ClarificationRequiredError } from '../failures/thrown-errors.ts';
import { TASK_RETENTION_DAYS } from '../task-commands/finish-task.ts';

/** Why a person must say first what is meant; empty: it is clear, or somebody has said it. */
export const findClarificationReasons = ({
  requested_task: requirement,
  clarification: notes,
}: Pick<WorkRequest, 'requested_task' | 'clarification'>): string[] =>
  notes === null
    ? unclearCriteriaReasons(requirement.acceptance_criteria, requirement.completion_signals.length)
    : [];

/** A request after a move. */
export interface WorkRequestChange {
  readonly event: WorkRequestEvent;
  readonly request: WorkRequest;
}

const iso = (now: Date): string => now.toISOString();

/** A request that nobody has looked at; one of the direct strategy has its yes from the start. */
export function createWorkRequest(
  requirement: WorkRequestTaskSubmission,
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
    requested_task: requirement,
    clarification: null,
    history: [{ status: 'submitted', at, by }],
    reason: null,
    created_at: at,
    updated_at: at,
    task_id: null,
    expires_at: null,
  };
  // What is unclear waits for a person, whatever its strategy is.
  if (strategy === 'review' || findClarificationReasons(request).length > 0) return request;
  return { ...advanceStatus(request, 'approved', 'direct', now), version: 1 };
}

/** A request that has gone on to a status, through each that lies between. */
function advanceStatus(request: WorkRequest, to: WorkRequestStatus, by: string, now: Date): WorkRequest {
  const at = iso(now);
  const steps = listWorkRequestStatusSteps(request.status, to);
  return {
    ...request,
    status: to,
    version: request.version + 1,
    history: [...request.history, ...steps.map((status) => ({ status, at, by }))],
    updated_at: at,
    expires_at: WORK_REQUEST_LIFECYCLE.isTerminal(to)
      ? Math.floor(now.getTime() / 1_000) + TASK_RETENTION_DAYS * 86_400
      : null,
  };
}

/** @throws Refusal `conflict` where the table does not allow the move. */
function applyRequestEvent(
  request: WorkRequest,
  name: WorkRequestEvent,
  by: string,
  now: Date,
  fields: Partial<WorkRequest>,
): WorkRequestChange {
  const to = WORK_REQUEST_LIFECYCLE.next(request.status, name);
  if (to === null)
    throw new Refusal('conflict', WORK_REQUEST_LIFECYCLE.conflictMessage(request.id, request.status, name));
  return { event: name, request: { ...advanceStatus(request, to, by, now), ...fields } };
}

/** A person says what is meant. What was asked to be true in the end (`acceptance_criteria`, signals) stays as it was asked. */
export const clarifyWorkRequest = (
  request: WorkRequest,
  said: {
    readonly clarification: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
  },
  by: string,
  now: Date,
): WorkRequestChange =>
  applyRequestEvent(request, 'clarify', by, now, {
    clarification: said.clarification,
    requested_task: {
      ...request.requested_task,
      ...(said.title === undefined ? {} : { title: said.title }),
      ...(said.description === undefined ? {} : { description: said.description }),
    },
  });

/** A person says yes. Said again it is the same yes. @throws Refusal `conflict` as long as nobody has said what is meant where that is unclear. */
export function approveWorkRequest(request: WorkRequest, by: string, now: Date): WorkRequestChange | null {
  if (request.status === 'approved' || request.status === 'task_created') return null;
  const moved = applyRequestEvent(request, 'approve', by, now, {});
  const reasons = findClarificationReasons(request);
  if (reasons.length > 0)
    throw new Refusal(
      'conflict',
      `${new ClarificationRequiredError(`request ${request.id}`, reasons).message}. Say what is meant (clarify), or ask for it anew`,
    );
  return moved;
}

/** A person says no, which wins as long as its task is not written down. Said again it is the same no. */
export const rejectWorkRequest = (
  request: WorkRequest,
  reason: string,
  by: string,
  now: Date,
): WorkRequestChange | null =>
  request.status === 'cancelled' ? null : applyRequestEvent(request, 'reject', by, now, { reason });

/** Its task is there. Null: a word that came meanwhile counts. */
export const recordWorkRequestTaskCreated = (request: WorkRequest, now: Date): WorkRequestChange | null =>
  request.status === 'approved'
    ? applyRequestEvent(request, 'create', 'assay', now, { task_id: request.id })
    : null;

/** No task can be made of it. Null: a word that came meanwhile counts. */
export const refuseApprovedWorkRequest = (
  request: WorkRequest,
  reason: string,
  now: Date,
): WorkRequestChange | null =>
  request.status === 'approved' ? applyRequestEvent(request, 'refuse', 'assay', now, { reason }) : null;

/** Was there a yes before the no, so that a task may have been made? */
export const hasBeenApproved = ({ status, history }: WorkRequest): boolean =>
  status === 'approved' || (status === 'cancelled' && history.some((each) => each.status === 'approved'));

/** The task that a request becomes: all that was asked, with what a person has said of it. */
export function buildTaskSubmission({
  requested_task: requirement,
  clarification: notes,
}: WorkRequest): TaskSubmission {
  if (notes === null) return requirement;
  const { description } = requirement;
  return {
    ...requirement,
    description: `${description}${description === '' ? '' : '\n\n'}## What was said of it\n${notes}`,
  };
}
