import { type AutonomyLevel, isFree } from '../../contract/approval/autonomy.ts';
import { needsPerson, riskOf } from '../../contract/approval/risk.ts';
import {
  type Approval,
  type Ask,
  MAX_APPROVALS,
  MAX_REASON,
  type ParkedSession,
  type ParkedWork,
  pendingOf,
} from '../../contract/approval/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { firstOf } from '../../lib/cut.ts';
import { autonomyOf } from '../approvals/in-force.ts';
import { type ApprovalPolicy, timetable } from '../approvals/policy.ts';
import { type Change, change, epochSeconds, nowIso, runningAttempt, withAttempt } from './change.ts';
import { isOurs } from './launch.ts';
import { ended } from './settle.ts';

/** Seconds that a task may wait for the box in which it goes on; SQS keeps a message for days, but a day without room is an outage. */
const QUEUE_SECONDS = 86_400;
/** Of an outside agent, which is at work elsewhere: until its next sign of life. */
const OUTSIDE_SECONDS = 900;

export interface Asking {
  readonly ask: Ask;
  /** Where the work stands; null: it is kept by whoever asks. */
  readonly work: ParkedWork | null;
  /** What the agent's CLI can go on with elsewhere; null: nothing. */
  readonly session?: ParkedSession | null;
  readonly policy: ApprovalPolicy;
  /** The deployment's; the base and the task may have a lower one. */
  readonly autonomy: AutonomyLevel;
}

const isSame = (one: Approval, attempt: Attempt, { action, title, description }: Ask): boolean =>
  one.attempt === attempt.number &&
  one.launch === (attempt.agent?.number ?? 1) &&
  one.action === action &&
  one.title === title &&
  one.description === description;

/** What this box has asked for already, with the same words: a repeat of a call whose answer was lost. */
export const askedBefore = (task: Task, number: number, ask: Ask): Approval | null => {
  const attempt = task.attempts.find((each) => each.number === number);
  return (attempt && task.approvals?.find((each) => isSame(each, attempt, ask))) ?? null;
};

/** Who does the work: for an outside agent, the holder of its token. */
const workerOf = (attempt: Attempt): string =>
  attempt.holder === 'managed' ? `agent of attempt ${attempt.number}` : attempt.holder;

/** A box that is told to end when it has asked: its task holds no box while it waits. An outside agent keeps its own. */
const parted = (task: Task, attempt: Attempt, number: number): Partial<Attempt> =>
  attempt.agent && isOurs(task, 'agent')
    ? {
        agent: {
          ...attempt.agent,
          lost: true,
          parked: number,
          // It has not failed: what counts how many were lost leaves it out.
          excused: (attempt.agent.excused ?? 0) + 1,
        },
      }
    : {};

/**
 * The agent asks for leave in the middle of its run. What its level of autonomy leaves to it is allowed at once, and written down; all
 * else parks the task until a person decides. Null: this box has asked the same before.
 */
export function askApproval(
  task: Task,
  number: number,
  { ask, work, session = null, policy, autonomy }: Asking,
  now: Date,
): Change | null {
  if (askedBefore(task, number, ask)) return null;
  const attempt = runningAttempt(task, number);
  const approvals = task.approvals ?? [];
  if (approvals.length >= MAX_APPROVALS)
    throw new Refusal(
      'conflict',
      `task ${task.id} has asked for ${MAX_APPROVALS} approvals, which is the most`,
    );
  const risk = riskOf(ask.action);
  const level = autonomyOf(task, autonomy);
  const isAllowed = isFree(level, ask.action, risk);
  const approval: Approval = {
    ...ask,
    number: approvals.length + 1,
    attempt: number,
    launch: attempt.agent?.number ?? 1,
    risk,
    requested_by: workerOf(attempt),
    created_at: nowIso(now),
    ...(isAllowed
      ? {
          status: 'approved',
          timetable: [],
          waits_for: null,
          decided_at: nowIso(now),
          decided_by: `autonomy ${level}`,
          decision_reason: null,
          work: null,
        }
      : {
          status: 'pending',
          ...timetable(policy, { action: ask.action, risk }, now),
          decided_at: null,
          decided_by: null,
          decision_reason: null,
          work,
          ...(session && { session }),
        }),
  };
  const event = isAllowed ? 'keep' : 'park';
  return change(task, event, now, {
    // No box goes on with an earlier one.
    approvals: [...approvals.map(({ session: _, ...each }) => each), approval],
    ...(isAllowed ? {} : { attempts: withAttempt(task, parted(task, attempt, approval.number)) }),
  });
}

const withDecision = (
  task: Task,
  number: number,
  decision: Pick<Approval, 'status' | 'decided_by' | 'decision_reason'>,
  now: Date,
): Approval[] =>
  (task.approvals ?? []).map((each) =>
    each.number === number ? { ...each, ...decision, decided_at: nowIso(now) } : each,
  );

/** The task goes on where it was: an outside agent by its next sign of life, any other in a new box. */
function goOn(task: Task, approvals: Approval[], now: Date): Change {
  const isOutside = task.runner === 'external';
  return change(task, 'resume', now, {
    approvals,
    attempts: withAttempt(task, {
      lease_until: epochSeconds(now) + (isOutside ? OUTSIDE_SECONDS : QUEUE_SECONDS),
    }),
    run: isOutside ? task.run : task.run + 1,
  });
}

function stop(task: Task, approvals: Approval[], code: string, message: string, now: Date): Change {
  return change(task, 'deny', now, {
    approvals,
    attempts: withAttempt(task, { outcome: 'cancelled', ended_at: nowIso(now) }),
    ...ended(now),
    failure: { code, message: firstOf(message, 4_000) },
  });
}

export interface Word {
  readonly decision: 'approve' | 'deny';
  readonly reason: string;
  readonly by: string;
  /** The approval that was looked at; undefined: the one that waits. */
  readonly number?: number | undefined;
}

/**
 * A person's word on an approval. A repeat is the same word; whoever does the work has none. The write itself says so once more (`notBy`).
 * @throws Refusal `forbidden` to who does the work; `conflict` where another word came first, or nothing waits.
 */
export function decideApproval(task: Task, { decision, reason, by, number }: Word, now: Date): Change | null {
  const pending = pendingOf(task);
  const last = task.approvals?.at(-1) ?? null;
  const about =
    number === undefined ? (pending ?? last) : task.approvals?.find((each) => each.number === number);
  if (!about)
    throw new Refusal(
      'conflict',
      `task ${task.id} has not asked for ${number === undefined ? 'an approval' : `approval ${number}`}`,
    );
  if (about.requested_by === by)
    throw new Refusal(
      'forbidden',
      `${by} does the work of task ${task.id}, and cannot allow what it asks for`,
    );
  const status = decision === 'approve' ? 'approved' : 'rejected';
  if (about.status === status && about.decided_by === by) return null;
  if (about.status !== 'pending')
    throw new Refusal(
      'conflict',
      `approval ${about.number} of task ${task.id} was ${about.status} by ${about.decided_by ?? 'nobody'}`,
    );
  const approvals = withDecision(
    task,
    about.number,
    { status, decided_by: by, decision_reason: firstOf(reason, MAX_REASON) },
    now,
  );
  const made =
    decision === 'approve'
      ? goOn(task, approvals, now)
      : stop(task, approvals, 'approval_denied', `${about.action} was denied by ${by}: ${reason}`, now);
  return { ...made, notBy: by };
}

/** When something happens by itself to the approval that a task waits for; null: never. */
export const approvalDue = (task: Task): Date | null => {
  const next = pendingOf(task)?.timetable[0];
  return task.status === 'auth_required' && next ? new Date(next.at) : null;
};

/** What time alone brings: another role's turn, or the end. Never leave for what only a person may allow. Null: there is time. */
export function expireApproval(task: Task, now: Date): Change | null {
  const pending = pendingOf(task);
  const [moment, ...later] = pending?.timetable ?? [];
  if (task.status !== 'auth_required' || !pending || !moment || Date.parse(moment.at) > now.getTime())
    return null;
  if (moment.outcome === 'escalate')
    return change(task, 'keep', now, {
      approvals: (task.approvals ?? []).map((each) =>
        each.number === pending.number ? { ...each, timetable: later, waits_for: moment.to ?? null } : each,
      ),
    });
  const why = `no person has decided between ${pending.created_at} and ${moment.at}`;
  if (moment.outcome === 'approve' && !needsPerson(pending.risk))
    return goOn(
      task,
      withDecision(
        task,
        pending.number,
        { status: 'approved', decided_by: 'timeout_policy', decision_reason: why },
        now,
      ),
      now,
    );
  return stop(
    task,
    withDecision(
      task,
      pending.number,
      { status: 'expired', decided_by: 'timeout_policy', decision_reason: why },
      now,
    ),
    'approval_expired',
    `${pending.action}: ${why}`,
    now,
  );
}
