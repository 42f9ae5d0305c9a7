import type { Boxes } from '../store/boxes.ts';
import type { Machines } from '../store/machines.ts';
import type { TaskStore } from '../store/tasks.ts';
import { BOX_KINDS, type BoxKind } from '../task/attempt.ts';
import { alreadyReported } from '../task/commands/launch.ts';
import { boxLost, expireLease, restart } from '../task/commands/recover.ts';
import type { Status } from '../task/status.ts';
import { executionName, launchName, type Task } from '../task/task.ts';
import { wakeWaiter } from './follow.ts';

export interface ReconcileContext {
  readonly tasks: TaskStore;
  readonly boxes: Boxes;
  readonly machines: Machines;
  readonly cascadeMachine: string;
  readonly now: () => Date;
  /** Seconds that a launch or a start may take before its absence means that it is lost. */
  readonly graceSeconds: number;
}

const WATCHED: readonly Status[] = [
  'blocked',
  'open',
  'claimed',
  'in_progress',
  'auth_required',
  'in_review',
];
/** Tasks looked at side by side: kind to the table's and the services' request limits. */
const PARALLEL = 10;

const older = (iso: string, seconds: number, now: Date): boolean =>
  now.getTime() - Date.parse(iso) >= seconds * 1_000;

/** The box that an attempt waits for now, if one was launched. */
function awaitedBox(task: Task): { kind: BoxKind; number: number; launchedAt: string } | null {
  const attempt = task.attempts.at(-1);
  if (!attempt || attempt.outcome !== null) return null;
  const kinds =
    task.status === 'in_review'
      ? BOX_KINDS.filter((kind) => kind !== 'agent')
      : BOX_KINDS.filter((kind) => kind === 'agent');
  for (const kind of kinds) {
    const launch = attempt[kind];
    if (launch && !launch.lost && launch.task_token !== null && !alreadyReported(task, attempt.number, kind))
      return { kind, number: launch.number, launchedAt: launch.launched_at };
  }
  return null;
}

async function recoverBox(task: Task, context: ReconcileContext): Promise<Task> {
  const box = awaitedBox(task);
  const attempt = task.attempts.at(-1);
  if (!box || !attempt || !older(box.launchedAt, context.graceSeconds, context.now())) return task;
  if (await context.boxes.isRunning(launchName(task.id, attempt.number, box.kind, box.number))) return task;
  return context.tasks.change(task, (each) =>
    boxLost(
      each,
      attempt.number,
      box.kind,
      box.number,
      `the ${box.kind} container is gone without a report`,
      context.now(),
    ),
  );
}

/** Puts one task right. Each step is a conditional write that a legitimate change wins against. */
async function reconcileTask(id: string, context: ReconcileContext): Promise<boolean> {
  const seen = await context.tasks.get(id);
  if (!seen) return false;
  if (seen.waits_for !== null) await wakeWaiter(id, context);
  let task = await context.tasks.change(id, (each) => expireLease(each, context.now()));
  task = await recoverBox(task, context);
  const needsExecution =
    task.run > 0 &&
    !task.hold &&
    task.waits_for === null &&
    (task.runner === 'managed' || task.status === 'in_review');
  const active = ['open', 'claimed', 'in_progress', 'in_review'].includes(task.status);
  if (
    needsExecution &&
    active &&
    older(task.updated_at, context.graceSeconds, context.now()) &&
    !(await context.machines.isRunning(context.cascadeMachine, executionName(id, task.run)))
  )
    task = await context.tasks.change(task, (each) =>
      each.run === task.run && each.version === task.version ? restart(each, context.now()) : null,
    );
  return task.version !== seen.version;
}

/** Looks at every unfinished task: leases that ran out, boxes that are gone, executions that were lost. Answers how many it put right. */
export async function reconcile(
  context: ReconcileContext,
): Promise<{ looked_at: number; changed: number; failed: string[] }> {
  const ids: string[] = [];
  for (const status of WATCHED) {
    let after: string | undefined;
    do {
      const page = await context.tasks.page(status, 200, after);
      ids.push(...page.rows.map((row) => row.id));
      after = page.more ? page.rows.at(-1)?.gs_created : undefined;
    } while (after !== undefined);
  }
  let changed = 0;
  const failed: string[] = [];
  for (let index = 0; index < ids.length; index += PARALLEL) {
    const batch = ids.slice(index, index + PARALLEL);
    const results = await Promise.allSettled(batch.map((id) => reconcileTask(id, context)));
    results.forEach((each, at) => {
      if (each.status === 'fulfilled') changed += each.value ? 1 : 0;
      else
        failed.push(
          `${batch[at]}: ${each.reason instanceof Error ? each.reason.message : String(each.reason)}`,
        );
    });
  }
  return { looked_at: ids.length, changed, failed };
}

/** ECS says that a box has stopped: when it has not reported, it never will. `box` is `<task>/<attempt>/<kind>/<launch>`. */
export async function boxStopped(
  box: string,
  why: string,
  context: Pick<ReconcileContext, 'tasks' | 'now'>,
): Promise<boolean> {
  const [id, attempt, kind, number] = box.split('/');
  if (!id || !BOX_KINDS.includes(kind as BoxKind)) return false;
  const present = await context.tasks.get(id);
  if (!present) return false;
  return (
    await context.tasks.apply(present, (task) =>
      boxLost(task, Number(attempt), kind as BoxKind, Number(number), why, context.now()),
    )
  ).changed;
}
