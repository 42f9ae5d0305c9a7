import { type AutonomyLevel, isActionAllowedWithoutApproval } from '../../contract/approval/autonomy.ts';
import { actionRisk, isHumanApprovalRequired } from '../../contract/approval/risk.ts';
import type { ApprovalEvent } from '../../contract/approval/schema.ts';
import {
  APPROVAL_LIFECYCLE,
  type Approval,
  type ApprovalRequest,
  findPendingApproval,
  MAX_APPROVALS_PER_TASK,
  MAX_DECISION_REASON_LENGTH,
  type SessionAwaitingApproval,
  type WorkAwaitingApproval,
} from '../../contract/approval/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { determineEffectiveAutonomyLevel } from '../approvals/effective-autonomy.ts';
import { type ApprovalTimeoutPolicy, scheduleApproval } from '../approvals/timeout-policy.ts';
import { taskEndFields } from './finish-task.ts';
import { isLaunchedByPlatform } from './launch.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toEpochSeconds,
  toIsoTime,
} from './task-change.ts';

/** Seconds that a task may wait for the box in which it goes on; SQS keeps a message for days, but a day without room is an outage. */
const QUEUE_SECONDS = 86_400;
/** Of an outside agent, which is at work elsewhere: until its next sign of life. */
const OUTSIDE_SECONDS = 900;

export interface ApprovalRequestInput {
  readonly request: ApprovalRequest;
  /** Where the work stands; null: it is kept by whoever asks. */
  readonly parkedWork: WorkAwaitingApproval | null;
  /** What the agent's CLI can go on with elsewhere; null: nothing. */
  readonly session?: SessionAwaitingApproval | null;
  readonly timeoutPolicy: ApprovalTimeoutPolicy;
  /** The deployment's; the base and the task may have a lower one. */
  readonly autonomy: AutonomyLevel;
}

const isSameRequest = (
  one: Approval,
  attempt: Attempt,
  { action, title, description }: ApprovalRequest,
): boolean =>
  one.attempt === attempt.number &&
  one.launch === (attempt.agent?.number ?? 1) &&
  one.action === action &&
  one.title === title &&
  one.description === description;

/** What this box has asked for already, with the same words: a repeat of a call whose answer was lost. */
export const findRepeatedApprovalRequest = (
  task: Task,
  number: number,
  ask: ApprovalRequest,
): Approval | null => {
  const attempt = task.attempts.find((each) => each.number === number);
  return (attempt && task.approvals?.find((each) => isSameRequest(each, attempt, ask))) ?? null;
};

/** Who does the work: for an outside agent, the holder of its token. */
const workerName = (attempt: Attempt): string =>
  attempt.lease_holder === 'managed' ? `agent of attempt ${attempt.number}` : attempt.lease_holder;

/** A box that is told to end when it has asked: its task holds no box while it waits. An outside agent keeps its own. */
const parkContainer = (task: Task, attempt: Attempt, number: number): Partial<Attempt> =>
  attempt.agent && isLaunchedByPlatform(task, 'agent')
    ? {
        agent: {
          ...attempt.agent,
          lost: true,
          parked_for_approval: number,
          // It has not failed: what counts how many were lost leaves it out.
          excused_losses: (attempt.agent.excused_losses ?? 0) + 1,
        },
      }
    : {};

/**
 * The agent asks for leave in the middle of its run. What its level of autonomy leaves to it is allowed at once, and written down; all
 * else parks the task until a person decides. Null: this box has asked the same before.
 */
export function recordApprovalRequest(
  task: Task,
  number: number,
  { request, parkedWork, session = null, timeoutPolicy, autonomy }: ApprovalRequestInput,
  now: Date,
): TaskChange | null {
  if (findRepeatedApprovalRequest(task, number, request)) return null;
  const attempt = requireRunningAttempt(task, number);
  const approvals = task.approvals ?? [];
  if (approvals.length >= MAX_APPROVALS_PER_TASK)
    throw new Refusal(
      'conflict',
      `task ${task.id} has asked for ${MAX_APPROVALS_PER_TASK} approvals, which is the most`,
    );
  const risk = actionRisk(request.action);
  const level = determineEffectiveAutonomyLevel(task, autonomy);
  const isAllowed = isActionAllowedWithoutApproval(level, request.action, risk);
  const schedule = scheduleApproval(timeoutPolicy, { action: request.action, risk }, now);
  const approval: Approval = {
    ...request,
    number: approvals.length + 1,
    attempt: number,
    launch: attempt.agent?.number ?? 1,
    risk,
    requested_by: workerName(attempt),
    created_at: toIsoTime(now),
    ...(isAllowed
      ? {
          status: 'approved',
          deadlines: [],
          approver_role: null,
          decided_at: toIsoTime(now),
          decided_by: `autonomy ${level}`,
          decision_reason: null,
          parked_work: null,
        }
      : {
          status: 'pending',
          deadlines: schedule.deadlines,
          approver_role: schedule.approver_role,
          decided_at: null,
          decided_by: null,
          decision_reason: null,
          parked_work: parkedWork,
          ...(session && { parked_session: session }),
        }),
  };
  const event = isAllowed ? 'keep' : 'park';
  return applyTaskEvent(task, event, now, {
    // No box goes on with an earlier one.
    approvals: [...approvals.map(({ parked_session: _, ...each }) => each), approval],
    ...(isAllowed
      ? {}
      : { attempts: replaceCurrentAttempt(task, parkContainer(task, attempt, approval.number)) }),
  });
}

/** Returns the task's approval requests with `event` applied to one of them, if its life cycle allows the event. */
export const applyApprovalEvent = (
  task: Task,
  number: number,
  event: ApprovalEvent,
  fields: Partial<Approval>,
): Approval[] =>
  (task.approvals ?? []).map((each) => {
    const status = each.number === number ? APPROVAL_LIFECYCLE.next(each.status, event) : null;
    return status === null ? each : { ...each, ...fields, status };
  });

/** The task goes on where it was: an outside agent by its next sign of life, any other in a new box. */
function resumeTask(task: Task, approvals: Approval[], now: Date): TaskChange {
  const isOutside = task.runner === 'external';
  return applyTaskEvent(task, 'resume', now, {
    approvals,
    attempts: replaceCurrentAttempt(task, {
      lease_until: toEpochSeconds(now) + (isOutside ? OUTSIDE_SECONDS : QUEUE_SECONDS),
    }),
    run: isOutside ? task.run : task.run + 1,
  });
}

function denyTask(task: Task, approvals: Approval[], code: string, message: string, now: Date): TaskChange {
  return applyTaskEvent(task, 'deny', now, {
    approvals,
    attempts: replaceCurrentAttempt(task, { outcome: 'cancelled', ended_at: toIsoTime(now) }),
    ...taskEndFields(now),
    failure: { code, message: truncateText(message, 4_000) },
  });
}

export interface ApprovalDecision {
  readonly decision: 'approve' | 'deny';
  readonly reason: string;
  readonly by: string;
  /** The approval that was looked at; undefined: the one that waits. */
  readonly approvalNumber?: number | undefined;
}

/**
 * A person's word on an approval. A repeat is the same word; the holder of the attempt has none. The write itself says so once more (`excludedDecider`).
 * @throws Refusal `forbidden` to who does the work; `conflict` where another word came first, or nothing waits.
 */
export function decideApproval(
  task: Task,
  { decision, reason, by, approvalNumber }: ApprovalDecision,
  now: Date,
): TaskChange | null {
  const pending = findPendingApproval(task);
  const last = task.approvals?.at(-1) ?? null;
  const about =
    approvalNumber === undefined
      ? (pending ?? last)
      : task.approvals?.find((each) => each.number === approvalNumber);
  if (!about)
    throw new Refusal(
      'conflict',
      `task ${task.id} has not asked for ${approvalNumber === undefined ? 'an approval' : `approval ${approvalNumber}`}`,
    );
  if (about.requested_by === by)
    throw new Refusal(
      'forbidden',
      `${by} does the work of task ${task.id}, and cannot allow what it asks for`,
    );
  const event = decision === 'approve' ? 'approve' : 'reject';
  if (about.status === APPROVAL_LIFECYCLE.transitions[event].to && about.decided_by === by) return null;
  if (APPROVAL_LIFECYCLE.next(about.status, event) === null)
    throw new Refusal(
      'conflict',
      `approval ${about.number} of task ${task.id} was ${about.status} by ${about.decided_by ?? 'nobody'}`,
    );
  const approvals = applyApprovalEvent(task, about.number, event, {
    decided_at: toIsoTime(now),
    decided_by: by,
    decision_reason: truncateText(reason, MAX_DECISION_REASON_LENGTH),
  });
  const made =
    decision === 'approve'
      ? resumeTask(task, approvals, now)
      : denyTask(task, approvals, 'approval_denied', `${about.action} was denied by ${by}: ${reason}`, now);
  return { ...made, excludedDecider: by };
}

/** When something happens by itself to the approval that a task waits for; null: never. */
export const nextApprovalDeadline = (task: Task): Date | null => {
  const next = findPendingApproval(task)?.deadlines[0];
  return task.status === 'auth_required' && next ? new Date(next.at) : null;
};

/** What time alone brings: another role's turn, or the end. Never leave for what only a person may allow. Null: there is time. */
export function applyApprovalDeadline(task: Task, now: Date): TaskChange | null {
  const pending = findPendingApproval(task);
  const [moment, ...later] = pending?.deadlines ?? [];
  if (task.status !== 'auth_required' || !pending || !moment || Date.parse(moment.at) > now.getTime())
    return null;
  if (moment.outcome === 'escalate')
    return applyTaskEvent(task, 'keep', now, {
      approvals: applyApprovalEvent(task, pending.number, 'escalate', {
        deadlines: later,
        approver_role: moment.escalate_to ?? null,
      }),
    });
  const why = `no person has decided between ${pending.created_at} and ${moment.at}`;
  const timedOut = { decided_at: toIsoTime(now), decided_by: 'timeout_policy', decision_reason: why };
  if (moment.outcome === 'approve' && !isHumanApprovalRequired(pending.risk))
    return resumeTask(task, applyApprovalEvent(task, pending.number, 'approve', timedOut), now);
  return denyTask(
    task,
    applyApprovalEvent(task, pending.number, 'expire', timedOut),
    'approval_expired',
    `${pending.action}: ${why}`,
    now,
  );
}
