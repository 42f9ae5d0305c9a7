import { wakes } from '../cascade/wakes.ts';
import type { BoxRegister } from '../store/box-register.ts';
import type { DeadlineStore, Watched } from '../store/deadlines.ts';
import type { Machines } from '../store/machines.ts';
import type { TaskStore } from '../store/tasks.ts';
import { expireLease, restart } from '../task/commands/recover.ts';
import {
  awaitedBox,
  isFollowed,
  LAUNCH_GRACE_SECONDS,
  laterAt,
  lookAgainAt,
  needsExecution,
} from '../task/deadline.ts';
import { executionName, launchName, type Task } from '../task/task.ts';
import { type FollowContext, makeUp } from './follow.ts';

export interface ReconcileContext extends Pick<FollowContext, 'locks' | 'counts' | 'onCompletion'> {
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly register: BoxRegister;
  readonly machines: Machines;
  readonly cascadeMachine: string;
  readonly now: () => Date;
  /** Seconds that a launch or a start may take before its absence means that it is lost. */
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

/** A box that has an entry is looked at with all others. One without was asked for by a message that came no more: it is sent again. */
async function recoverBox(task: Task, context: ReconcileContext): Promise<Task> {
  const box = awaitedBox(task);
  const attempt = task.attempts.at(-1);
  const grace = context.all ? 0 : LAUNCH_GRACE_SECONDS;
  if (!box || !attempt || !older(box.launchedAt, grace, context.now())) return task;
  if (await context.register.find(launchName(task.id, attempt.number, box.kind, box.number))) return task;
  return context.tasks.change(task, (each) =>
    each.run === task.run && older(each.updated_at, grace, context.now())
      ? restart(each, context.now())
      : null,
  );
}

async function recoverExecution(task: Task, context: ReconcileContext): Promise<Task> {
  const isDue = (each: Task): boolean =>
    needsExecution(each) && older(each.updated_at, context.graceSeconds, context.now());
  if (!isDue(task)) return task;
  if (await context.machines.isRunning(context.cascadeMachine, executionName(task.id, task.run))) {
    // It may wait for a word that was said and never arrived. Once more to one that has heard it is nothing.
    for (const wake of wakes(null, task)) await context.machines.wake(wake.task_token, { stage: wake.stage });
    return task;
  }
  // What came in meanwhile does not bring the execution back: the same is asked of the task as it is now.
  return context.tasks.change(task, (each) =>
    each.run === task.run && isDue(each) ? restart(each, context.now()) : null,
  );
}

/** Puts one task right. Each step is a conditional write that a legitimate change wins against. */
async function putRight({ task: seen }: Watched, context: ReconcileContext): Promise<Task> {
  if (isFollowed(seen)) {
    await makeUp(seen, context);
    return seen;
  }
  const task = await context.tasks.change(seen, (each) => expireLease(each, context.now()));
  return recoverExecution(await recoverBox(task, context), context);
}

/** Looks at one task. One that is well, or that cannot be put right just now, makes room for the next ones that are due. */
async function look(id: string, context: ReconcileContext): Promise<boolean> {
  const seen = await context.deadlines.get(id);
  // The index is a moment behind: somebody has moved the deadline.
  if (!seen?.deadline || (!context.all && Date.parse(seen.deadline) > context.now().getTime())) return false;
  try {
    const task = await putRight(seen, context);
    if (task.version !== seen.task.version) return true;
  } catch (error) {
    await context.deadlines.set(seen, laterAt(seen.task, context.now()));
    throw error;
  }
  await context.deadlines.set(seen, lookAgainAt(seen.task, context.now()));
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
  const lookAt = async (ids: readonly string[]): Promise<void> => {
    const results = await Promise.allSettled(ids.map((id) => look(id, context)));
    lookedAt += ids.length;
    results.forEach((each, at) => {
      if (each.status === 'fulfilled') changed += each.value ? 1 : 0;
      else
        failed.push(
          `${ids[at]}: ${each.reason instanceof Error ? each.reason.message : String(each.reason)}`,
        );
    });
  };
  let batch: string[] = [];
  // One whose deadline was put off within this round may be met again.
  const met = new Set<string>();
  for await (const id of context.deadlines.due(context.all ? END_OF_TIME : context.now())) {
    if (met.has(id)) continue;
    met.add(id);
    batch.push(id);
    if (batch.length < PARALLEL) continue;
    await lookAt(batch);
    batch = [];
    if (!context.goOn()) break;
  }
  await lookAt(batch);
  return { looked_at: lookedAt, changed, failed };
}
