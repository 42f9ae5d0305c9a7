import { cascadeExecutionName, containerLaunchName, type Task } from '../../contract/task/task.ts';
import { applyApprovalDeadline } from '../../control/task-commands/approval-request.ts';
import {
  computeNextTaskCheckAt,
  computeNextTaskRecoveryAt,
  findAwaitedLaunch,
  isAwaitingLaunch,
  isCoveredByLease,
  LAUNCH_LOST_AFTER_SECONDS,
  LAUNCH_RETRY_AFTER_SECONDS,
  needsStreamFollowUp,
} from '../../control/task-commands/deadline.ts';
import {
  buildCascadeExecutionInput,
  isCascadeExecutionNeeded,
} from '../../control/task-commands/execution-start.ts';
import { findHeartbeatAttempt } from '../../control/task-commands/heartbeat.ts';
import { expireReviewHold } from '../../control/task-commands/hold.ts';
import { expireLease, recordContainerLost, restartCascade } from '../../control/task-commands/recover.ts';
import type { DeadlineStore, TaskDeadline } from '../../store/deadlines.ts';
import type { HeartbeatStore } from '../../store/heartbeats.ts';
import type { RunningContainerStore } from '../../store/running-containers.ts';
import type { StepFunctionsClient } from '../../store/state-machines.ts';
import type { DueDeadlineEntry } from '../../store/task-item.ts';
import type { TaskStore } from '../../store/task-store.ts';
import type { WorkRequestStore } from '../../store/work-requests.ts';
import { repeatTaskProjections, type TaskProjectionContext } from '../cascade/task-write-effects.ts';
import { applyWorkRequestEffects } from '../submit/work-requests.ts';

export interface ReconcileContext
  extends Pick<TaskProjectionContext, 'locks' | 'counts' | 'beliefs' | 'spend' | 'onCompletion'> {
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly heartbeats: HeartbeatStore;
  readonly workRequests: WorkRequestStore;
  readonly register: RunningContainerStore;
  readonly stateMachines: StepFunctionsClient;
  readonly cascadeMachineArn: string;
  readonly now: () => Date;
  /** Seconds that a step may take before its absence means that it is lost. */
  readonly graceSeconds: number;
  /** True when all boxes and executions may be gone at once: then whatever has a deadline is looked at before its time. */
  readonly isAfterRestart: boolean;
  /** Is there time left in this round? What it does not come to stays due, and comes first in the next one. */
  readonly hasTimeLeft: () => boolean;
}

/** Tasks looked at side by side: kind to the table's and the services' request limits. */
const PARALLEL = 10;
/** After every deadline. */
const END_OF_TIME = new Date('9999-01-01T00:00:00.000Z');

const isOlderThan = (iso: string, seconds: number, now: Date): boolean =>
  now.getTime() - Date.parse(iso) >= seconds * 1_000;

/** A delivery has no entry: it is a function, which has reported by the end of its time or never will. */
async function recoverDelivery(
  task: Task,
  { number, launchedAt }: { readonly number: number; readonly launchedAt: string },
  context: ReconcileContext,
): Promise<Task> {
  const longest = context.isAfterRestart ? 0 : LAUNCH_LOST_AFTER_SECONDS.deliver;
  if (!isOlderThan(launchedAt, longest, context.now())) return task;
  const why = context.isAfterRestart ? 'the delivery was cut off' : `no report after ${longest} s`;
  return context.tasks.applyCommand(task, (each) =>
    recordContainerLost(each, each.attempts.at(-1)?.number ?? 0, 'deliver', number, why, context.now()),
  );
}

/**
 * A box that has an entry is looked at with all others. One without was asked for by a message that came no more, or that waits for room:
 * it is asked for by a new run, so that of all its messages one counts.
 */
async function recoverBox(task: Task, context: ReconcileContext): Promise<Task> {
  const box = findAwaitedLaunch(task);
  if (box?.kind === 'deliver') return recoverDelivery(task, box, context);
  const attempt = task.attempts.at(-1);
  const grace = context.isAfterRestart ? 0 : LAUNCH_RETRY_AFTER_SECONDS;
  if (!attempt || (box && !isOlderThan(box.launchedAt, grace, context.now()))) return task;
  if (
    box &&
    (await context.register.find(containerLaunchName(task.id, attempt.number, box.kind, box.number)))
  )
    return task;
  return context.tasks.applyCommand(task, (each) =>
    each.run === task.run && isAwaitingLaunch(each) && isOlderThan(each.updated_at, grace, context.now())
      ? restartCascade(each, context.now())
      : null,
  );
}

/** Has a task a step before it that nobody seems to do? */
const isStepDue = (task: Task, context: ReconcileContext): boolean =>
  isCascadeExecutionNeeded(task) &&
  !isAwaitingLaunch(task) &&
  isOlderThan(task.updated_at, context.graceSeconds, context.now());

/** After a stop no execution is left, and whoever was asked for a judgement is not heard: all begins anew. */
const recoverAll = (task: Task, context: ReconcileContext): Promise<Task> =>
  context.tasks.applyCommand(task, (each) =>
    each.run === task.run && isStepDue(each, context) ? restartCascade(each, context.now()) : null,
  );

/** A lease that has run out is ended first, where its beats are kept: so no beat is promised anything that its task does not know of. */
async function recoverLease(task: Task, context: ReconcileContext): Promise<Task> {
  if (expireLease(task, context.now()) === null) return task;
  const attempt = findHeartbeatAttempt(task);
  if (attempt && !(await context.heartbeats.endLease(task.id, attempt.number, context.now())))
    return (await context.tasks.get(task.id)) ?? task;
  return context.tasks.applyCommand(task, (each) => expireLease(each, context.now()));
}

/** Puts one task right. Each step is a conditional write that a legitimate change wins against. */
async function repairTask({ task: seen }: TaskDeadline, context: ReconcileContext): Promise<Task> {
  if (needsStreamFollowUp(seen)) {
    await repeatTaskProjections(seen, context);
    return seen;
  }
  if (seen.hold) return context.tasks.applyCommand(seen, (each) => expireReviewHold(each, context.now()));
  if (seen.status === 'auth_required')
    return context.tasks.applyCommand(seen, (each) => applyApprovalDeadline(each, context.now()));
  const task = await recoverLease(seen, context);
  if (isCoveredByLease(task) && !context.isAfterRestart) return task;
  if (isAwaitingLaunch(task)) return recoverBox(task, context);
  return context.isAfterRestart ? recoverAll(task, context) : task;
}

/**
 * When one that was found well is looked at again. What beats is so by its beats, which have a deadline of their own: that of the task is taken
 * away once, and no write of the task comes of its beating.
 */
async function rescheduleCheck(seen: TaskDeadline, context: ReconcileContext): Promise<void> {
  const { deadlines, heartbeats, now } = context;
  const at = computeNextTaskCheckAt(seen.task, now());
  const attempt = findHeartbeatAttempt(seen.task);
  const isWatched =
    at !== null && attempt !== null && (await heartbeats.setDeadline(seen.task.id, attempt.number, at));
  if (!isWatched) return deadlines.set(seen, at);
  if (seen.deadline !== null) await deadlines.set(seen, null);
}

/** Looks at one task. One that is well, or that cannot be put right just now, makes room for the next ones that are due. */
async function checkDueItem(
  { id, attempt, isRequest }: DueDeadlineEntry,
  context: ReconcileContext,
): Promise<boolean> {
  if (isRequest) {
    await applyWorkRequestEffects(id, context);
    return false;
  }
  const seen = await context.deadlines.get(id);
  if (attempt !== null && seen?.heartbeat?.attempt !== attempt) {
    await context.heartbeats.delete(id, attempt);
    return false;
  }
  // The index is a moment behind: somebody has moved the deadline.
  const deadline = attempt === null ? seen?.deadline : seen?.heartbeat?.deadline;
  if (!seen || !deadline || (!context.isAfterRestart && Date.parse(deadline) > context.now().getTime()))
    return false;
  try {
    const task = await repairTask(seen, context);
    if (task.version !== seen.task.version) return true;
  } catch (error) {
    if (attempt === null)
      await context.deadlines.set(seen, computeNextTaskRecoveryAt(seen.task, context.now()));
    else
      await context.heartbeats.setDeadline(id, attempt, computeNextTaskRecoveryAt(seen.task, context.now()));
    throw error;
  }
  await rescheduleCheck(seen, context);
  // Of the same run: where another execution is at work after all, the first write of the two counts. After the deadline, which it may move.
  if (!context.isAfterRestart && isStepDue(seen.task, context))
    await context.stateMachines.startExecution(
      context.cascadeMachineArn,
      cascadeExecutionName(id, seen.task.run),
      buildCascadeExecutionInput(seen.task),
    );
  return false;
}

export interface ReconcileResult {
  readonly checked: number;
  readonly changed: number;
  /** `<task>: <why>`. */
  readonly failed: readonly string[];
}

/** Looks at every task that is due, the most overdue first, as long as there is time: leases that ran out, boxes that are gone or hang, executions that were lost, ends of which others have not heard. */
export async function reconcileTasks(context: ReconcileContext): Promise<ReconcileResult> {
  let lookedAt = 0;
  let changed = 0;
  const failed: string[] = [];
  const lookAt = async (due: readonly DueDeadlineEntry[]): Promise<void> => {
    const results = await Promise.allSettled(due.map((each) => checkDueItem(each, context)));
    lookedAt += due.length;
    results.forEach((each, at) => {
      if (each.status === 'fulfilled') changed += each.value ? 1 : 0;
      else
        failed.push(
          `${due[at]?.id}: ${each.reason instanceof Error ? each.reason.message : String(each.reason)}`,
        );
    });
  };
  let batch: DueDeadlineEntry[] = [];
  // One whose deadline was put off within this round may be met again.
  const met = new Set<string>();
  for await (const due of context.deadlines.listDue(context.isAfterRestart ? END_OF_TIME : context.now())) {
    const name = `${due.id}/${due.isRequest ? 'request' : due.attempt}`;
    if (met.has(name)) continue;
    met.add(name);
    batch.push(due);
    if (batch.length < PARALLEL) continue;
    await lookAt(batch);
    batch = [];
    if (!context.hasTimeLeft()) break;
  }
  await lookAt(batch);
  return { checked: lookedAt, changed, failed };
}
