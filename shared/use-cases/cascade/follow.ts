import type { Adapter } from '../../contract/agents/adapter.ts';
import { MAX_FIX_UPS } from '../../contract/submission/schema.ts';
import { newlyLanded } from '../../contract/task/landed.ts';
import { isLive, isTerminal } from '../../contract/task/status.ts';
import { executionLabel, type Task } from '../../contract/task/task.ts';
import { providerMark } from '../../control/cascade/cooling.ts';
import { newOutcomes, outcomesOf } from '../../control/cascade/learning/outcome.ts';
import type { Fact } from '../../control/ledger/counts.ts';
import { countsAs } from '../../control/spending/admit.ts';
import { fixUpOf } from '../../control/task-commands/fix-up.ts';
import { executionInput, startsExecution } from '../../control/task-commands/start.ts';
import { reexamine, stopWaiting } from '../../control/task-commands/wait.ts';
import { markOf } from '../../reviews/judging/mark.ts';
import type { BeliefStore } from '../../store/beliefs.ts';
import type { BreakerStore } from '../../store/breakers.ts';
import type { CountStore } from '../../store/counts.ts';
import type { LandedStore } from '../../store/landed.ts';
import type { LockStore } from '../../store/locks.ts';
import type { Machines } from '../../store/machines.ts';
import type { ProviderStore } from '../../store/providers.ts';
import type { SpendStore } from '../../store/spend.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { replan } from '../submit/plan.ts';

export interface FollowContext {
  readonly tasks: TaskStore;
  readonly locks: LockStore;
  readonly counts: CountStore;
  readonly beliefs: BeliefStore;
  readonly breakers: Pick<BreakerStore, 'mark'>;
  readonly spend: Pick<SpendStore, 'settle'>;
  readonly landed: Pick<LandedStore, 'put'>;
  /** How providers fare, and which agent does what names none; absent: nobody keeps it. */
  readonly providers?: { readonly store: Pick<ProviderStore, 'met'>; readonly fallback: Adapter };
  readonly machines: Machines;
  readonly cascadeMachine: string;
  readonly now: () => Date;
  /** Called once for each completion that was not counted before. */
  readonly onCompletion: (task: Task) => void;
}

/** Tasks with the fix-ups that have taken their place, and theirs. */
async function withFixUps(ids: readonly string[], tasks: TaskStore): Promise<Map<string, Task>> {
  const found = await tasks.getMany(ids);
  for (let generation = 0; generation < MAX_FIX_UPS; generation++) {
    const further = [...found.values()].flatMap(({ superseded_by: id }) =>
      id && !found.has(id) ? [id] : [],
    );
    if (further.length === 0) break;
    for (const [id, task] of await tasks.getMany(further)) found.set(id, task);
  }
  return found;
}

/** Makes the fix-up that a failed task names, by one conditional write under an id that follows from the task: done again it changes nothing. */
async function makeFixUp(task: Task, { tasks, now }: Pick<FollowContext, 'tasks' | 'now'>): Promise<void> {
  if (task.superseded_by === undefined || task.status !== 'failed') return;
  const known = await tasks.getMany(task.depends_on);
  const done = task.depends_on.filter((id) => known.get(id)?.status === 'done');
  await tasks.create(fixUpOf(task, done, now()));
}

/** Looks again at a task that waits: it goes on, waits for the next one, or learns that what it waits for has failed. */
export async function wakeWaiter(id: string, context: Pick<FollowContext, 'tasks' | 'now'>): Promise<void> {
  const task = await context.tasks.get(id);
  if (!task?.waits_for) return;
  if (task.status === 'blocked') {
    const dependencies = await withFixUps(task.depends_on, context.tasks);
    await context.tasks.change(task, (each) => reexamine(each, dependencies, context.now()));
    return;
  }
  const holder = await context.tasks.get(task.waits_for);
  if (task.status === 'open' && (!holder || !isLive(holder.status)))
    await context.tasks.change(task, (each) =>
      each.waits_for === task.waits_for ? stopWaiting(each, context.now()) : null,
    );
}

/**
 * Makes up for records that the stream has given up: does again what follows from the state of a task alone, whatever was written
 * before. The start of an execution is not among it: whoever looks at what is under way sees to that.
 */
export async function makeUp(
  task: Task,
  context: Pick<FollowContext, 'tasks' | 'locks' | 'counts' | 'beliefs' | 'spend' | 'now' | 'onCompletion'>,
): Promise<void> {
  if (task.waits_for !== null) await wakeWaiter(task.id, context);
  if (!isTerminal(task.status)) return;
  await makeFixUp(task, context);
  await replan(task, context.tasks, context.now());
  await context.locks.release(task);
  for (const id of await context.tasks.waitingFor(task.id)) await wakeWaiter(id, context);
  if (await context.counts.count(factOf(task), context.now())) context.onCompletion(task);
  for (const outcome of outcomesOf(task)) await context.beliefs.observe(outcome);
  await settleSpent(null, task, context);
}

/**
 * Makes happen what must follow from one write of a task. Every part can be repeated and may come late: of two executions of a run the
 * first write counts, waiters are looked at as they stand, tasks are counted by version, outcomes by attempt.
 */
export async function follow(before: Task | null, after: Task, context: FollowContext): Promise<void> {
  if (startsExecution(before, after))
    await context.machines.start(
      context.cascadeMachine,
      executionLabel(after.id, after.run),
      executionInput(after),
    );
  const mark = markOf(before, after);
  if (mark) await context.breakers.mark(mark.model, mark);
  const met = context.providers && providerMark(before, after, context.providers.fallback);
  if (met) await context.providers?.store.met(met);
  if (after.waits_for !== null && after.waits_for !== before?.waits_for) await wakeWaiter(after.id, context);
  const ended = isTerminal(after.status) && before?.status !== after.status;
  const letGo = before !== null && isLive(before.status) && !isLive(after.status);
  const revived = before !== null && isTerminal(before.status) && !isTerminal(after.status);
  // Before whoever waits is woken: they are to wait for it.
  if (ended) await makeFixUp(after, context);
  if (ended) await replan(after, context.tasks, context.now());
  if (ended) await context.locks.release(after);
  if (ended || letGo || revived)
    for (const id of await context.tasks.waitingFor(after.id)) await wakeWaiter(id, context);
  if (before?.status !== after.status && (await context.counts.count(factOf(after), context.now())))
    context.onCompletion(after);
  for (const outcome of newOutcomes(before, after)) await context.beliefs.observe(outcome);
  for (const as of newlyLanded(before, after))
    await context.landed.put(after.repository, as, after.id, context.now());
  await settleSpent(before, after, context);
}

/** Puts what attempts, and judging them, have cost in the place of what was set aside for them, once they are over. */
async function settleSpent(
  before: Task | null,
  { id, repository, attempts, runner }: Task,
  { spend }: Pick<FollowContext, 'spend'>,
): Promise<void> {
  for (const attempt of attempts) {
    const { number, outcome, reserved, reserved_more = [] } = attempt;
    const was = before?.attempts.find((each) => each.number === number)?.outcome ?? null;
    if (!reserved || outcome === null || was !== null) continue;
    await spend.settle({ attempt: `${id}#${number}`, repository }, reserved, countsAs(attempt, runner));
    // All that it cost is in the first one's place.
    for (const { mark, ...more } of reserved_more) await spend.settle({ attempt: mark, repository }, more, 0);
  }
}

const factOf = ({ id, role, version, status, verified, ended_at, updated_at }: Task): Fact => ({
  id,
  role,
  version,
  status,
  completion: status === 'done' ? { verified: verified === true, at: ended_at ?? updated_at } : null,
});

/** A task was removed, because its time was over. */
export async function followRemoval(
  before: Task,
  context: Pick<FollowContext, 'counts' | 'now'>,
): Promise<void> {
  await context.counts.count(
    { ...factOf(before), version: before.version + 1, status: null, completion: null },
    context.now(),
  );
}
