import { executionLabel, launchName, type Task } from '../../contract/task/task.ts';
import { expireApproval } from '../../control/task-commands/approve.ts';
import { attemptWithBeats } from '../../control/task-commands/beat.ts';
import {
  awaitedBox,
  isFollowed,
  isSeenByLease,
  LAUNCH_GRACE_SECONDS,
  LONGEST_BOX_SECONDS,
  laterAt,
  lookAgainAt,
  waitsForBox,
} from '../../control/task-commands/deadline.ts';
import { expireHold } from '../../control/task-commands/hold.ts';
import { boxLost, expireLease, restart } from '../../control/task-commands/recover.ts';
import { executionInput, needsExecution } from '../../control/task-commands/start.ts';
import type { BeatStore } from '../../store/beats.ts';
import type { BoxRegister } from '../../store/box-register.ts';
import type { DeadlineStore, Watched } from '../../store/deadlines.ts';
import type { Machines } from '../../store/machines.ts';
import type { RequestStore } from '../../store/requests.ts';
import type { Due } from '../../store/task-item.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { type FollowContext, makeUp } from '../cascade/follow.ts';
import { followRequest } from '../submit/requests.ts';

export interface ReconcileContext
  extends Pick<FollowContext, 'locks' | 'counts' | 'beliefs' | 'spend' | 'onCompletion'> {
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly beats: BeatStore;
  readonly requests: RequestStore;
  readonly register: BoxRegister;
  readonly machines: Machines;
  readonly cascadeMachine: string;
  readonly now: () => Date;
  /** Seconds that a step may take before its absence means that it is lost. */
  readonly graceSeconds: number;
  /** True when all boxes and executions may be gone at once: then whatever has a deadline is looked at before its time. */
  readonly all: boolean;
  /** Is there time left in this round? What it does not come to stays due, and comes first in the next one. */
  readonly goOn: () => boolean;
}

/** Tasks looked at side by side: kind to the table's and the services' request limits. */
const PARALLEL = 10;
/** After every deadline. */
const END_OF_TIME = new Date('9999-01-01T00:00:00.000Z');

const older = (iso: string, seconds: number, now: Date): boolean =>
  now.getTime() - Date.parse(iso) >= seconds * 1_000;

/** A delivery has no entry: it is a function, which has reported by the end of its time or never will. */
async function recoverDelivery(
  task: Task,
  { number, launchedAt }: { readonly number: number; readonly launchedAt: string },
  context: ReconcileContext,
): Promise<Task> {
  const longest = context.all ? 0 : LONGEST_BOX_SECONDS.deliver;
  if (!older(launchedAt, longest, context.now())) return task;
  const why = context.all ? 'the delivery was cut off' : `no report after ${longest} s`;
  return context.tasks.change(task, (each) =>
    boxLost(each, each.attempts.at(-1)?.number ?? 0, 'deliver', number, why, context.now()),
  );
}

/**
 * A box that has an entry is looked at with all others. One without was asked for by a message that came no more, or that waits for room:
 * it is asked for by a new run, so that of all its messages one counts.
 */
async function recoverBox(task: Task, context: ReconcileContext): Promise<Task> {
  const box = awaitedBox(task);
  if (box?.kind === 'deliver') return recoverDelivery(task, box, context);
  const attempt = task.attempts.at(-1);
  const grace = context.all ? 0 : LAUNCH_GRACE_SECONDS;
  if (!attempt || (box && !older(box.launchedAt, grace, context.now()))) return task;
  if (box && (await context.register.find(launchName(task.id, attempt.number, box.kind, box.number))))
    return task;
  return context.tasks.change(task, (each) =>
    each.run === task.run && waitsForBox(each) && older(each.updated_at, grace, context.now())
      ? restart(each, context.now())
      : null,
  );
}

/** Has a task a step before it that nobody seems to do? */
const isStepDue = (task: Task, context: ReconcileContext): boolean =>
  needsExecution(task) && !waitsForBox(task) && older(task.updated_at, context.graceSeconds, context.now());

/** After a stop no execution is left, and whoever was asked for a judgement is not heard: all begins anew. */
const recoverAll = (task: Task, context: ReconcileContext): Promise<Task> =>
  context.tasks.change(task, (each) =>
    each.run === task.run && isStepDue(each, context) ? restart(each, context.now()) : null,
  );

/** A lease that has run out is ended first, where its beats are kept: so no beat is promised anything that its task does not know of. */
async function recoverLease(task: Task, context: ReconcileContext): Promise<Task> {
  if (expireLease(task, context.now()) === null) return task;
  const attempt = attemptWithBeats(task);
  if (attempt && !(await context.beats.end(task.id, attempt.number, context.now())))
    return (await context.tasks.get(task.id)) ?? task;
  return context.tasks.change(task, (each) => expireLease(each, context.now()));
}

/** Puts one task right. Each step is a conditional write that a legitimate change wins against. */
async function putRight({ task: seen }: Watched, context: ReconcileContext): Promise<Task> {
  if (isFollowed(seen)) {
    await makeUp(seen, context);
    return seen;
  }
  if (seen.hold) return context.tasks.change(seen, (each) => expireHold(each, context.now()));
  if (seen.status === 'auth_required')
    return context.tasks.change(seen, (each) => expireApproval(each, context.now()));
  const task = await recoverLease(seen, context);
  if (isSeenByLease(task) && !context.all) return task;
  if (waitsForBox(task)) return recoverBox(task, context);
  return context.all ? recoverAll(task, context) : task;
}

/**
 * When one that was found well is looked at again. What beats is so by its beats, which have a deadline of their own: that of the task is taken
 * away once, and no write of the task comes of its beating.
 */
async function lookLater(seen: Watched, context: ReconcileContext): Promise<void> {
  const { deadlines, beats, now } = context;
  const at = lookAgainAt(seen.task, now());
  const attempt = attemptWithBeats(seen.task);
  const isWatched = at !== null && attempt !== null && (await beats.watch(seen.task.id, attempt.number, at));
  if (!isWatched) return deadlines.set(seen, at);
  if (seen.deadline !== null) await deadlines.set(seen, null);
}

/** Looks at one task. One that is well, or that cannot be put right just now, makes room for the next ones that are due. */
async function look({ id, attempt, isRequest }: Due, context: ReconcileContext): Promise<boolean> {
  if (isRequest) {
    await followRequest(id, context);
    return false;
  }
  const seen = await context.deadlines.get(id);
  if (attempt !== null && seen?.beat?.attempt !== attempt) {
    await context.beats.forget(id, attempt);
    return false;
  }
  // The index is a moment behind: somebody has moved the deadline.
  const deadline = attempt === null ? seen?.deadline : seen?.beat?.deadline;
  if (!seen || !deadline || (!context.all && Date.parse(deadline) > context.now().getTime())) return false;
  try {
    const task = await putRight(seen, context);
    if (task.version !== seen.task.version) return true;
  } catch (error) {
    if (attempt === null) await context.deadlines.set(seen, laterAt(seen.task, context.now()));
    else await context.beats.watch(id, attempt, laterAt(seen.task, context.now()));
    throw error;
  }
  await lookLater(seen, context);
  // Of the same run: where another execution is at work after all, the first write of the two counts. After the deadline, which it may move.
  if (!context.all && isStepDue(seen.task, context))
    await context.machines.start(
      context.cascadeMachine,
      executionLabel(id, seen.task.run),
      executionInput(seen.task),
    );
  return false;
}

export interface Reconciled {
  readonly looked_at: number;
  readonly changed: number;
  /** `<task>: <why>`. */
  readonly failed: readonly string[];
}

/** Looks at every task that is due, the most overdue first, as long as there is time: leases that ran out, boxes that are gone or hang, executions that were lost, ends of which others have not heard. */
export async function reconcile(context: ReconcileContext): Promise<Reconciled> {
  let lookedAt = 0;
  let changed = 0;
  const failed: string[] = [];
  const lookAt = async (due: readonly Due[]): Promise<void> => {
    const results = await Promise.allSettled(due.map((each) => look(each, context)));
    lookedAt += due.length;
    results.forEach((each, at) => {
      if (each.status === 'fulfilled') changed += each.value ? 1 : 0;
      else
        failed.push(
          `${due[at]?.id}: ${each.reason instanceof Error ? each.reason.message : String(each.reason)}`,
        );
    });
  };
  let batch: Due[] = [];
  // One whose deadline was put off within this round may be met again.
  const met = new Set<string>();
  for await (const due of context.deadlines.due(context.all ? END_OF_TIME : context.now())) {
    const name = `${due.id}/${due.isRequest ? 'request' : due.attempt}`;
    if (met.has(name)) continue;
    met.add(name);
    batch.push(due);
    if (batch.length < PARALLEL) continue;
    await lookAt(batch);
    batch = [];
    if (!context.goOn()) break;
  }
  await lookAt(batch);
  return { looked_at: lookedAt, changed, failed };
}
