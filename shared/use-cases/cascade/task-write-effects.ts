import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import { MAX_FIX_UPS } from '../../contract/submission/schema.ts';
import { findNewMergedWorkKeys } from '../../contract/task/merged-work.ts';
import { isLiveStatus, isTerminalStatus } from '../../contract/task/status.ts';
import { cascadeExecutionName, type Task } from '../../contract/task/task.ts';
import {
  deriveAttemptOutcomes,
  deriveNewAttemptOutcomes,
} from '../../control/cascade/learning/attempt-outcomes.ts';
import { deriveProviderObservation } from '../../control/cascade/provider-observation.ts';
import type { TaskStatusChange } from '../../control/ledger/task-counts.ts';
import { computeBudgetedAttemptMicroUsd } from '../../control/spending/task-budget.ts';
import {
  buildCascadeExecutionInput,
  shouldStartCascadeExecution,
} from '../../control/task-commands/execution-start.ts';
import { buildFixUp } from '../../control/task-commands/fix-up.ts';
import { cancelTask } from '../../control/task-commands/operator-commands.ts';
import { recheckTaskDependencies, resumeParkedTask } from '../../control/task-commands/park-task.ts';
import { newQualityGateResult } from '../../reviews/judging/quality-gate-result.ts';
import type { CircuitBreakerStore } from '../../store/circuit-breakers.ts';
import type { FileLockStore } from '../../store/file-locks.ts';
import type { MergedWorkStore } from '../../store/merged-work.ts';
import type { ModelSpendStore } from '../../store/model-spend.ts';
import type { ProviderCooldownStore } from '../../store/provider-cooldowns.ts';
import type { PullRequestStore } from '../../store/pull-requests.ts';
import type { RoleLearningStore } from '../../store/role-learning.ts';
import type { StepFunctionsClient } from '../../store/state-machines.ts';
import type { TaskCountStore } from '../../store/task-counts.ts';
import type { TaskStore } from '../../store/task-store.ts';
import { replanAfterFailure } from '../submit/plans.ts';

export interface TaskProjectionContext {
  readonly tasks: TaskStore;
  readonly locks: FileLockStore;
  readonly counts: TaskCountStore;
  readonly beliefs: RoleLearningStore;
  readonly breakers: Pick<CircuitBreakerStore, 'recordMark'>;
  readonly spend: Pick<ModelSpendStore, 'settle'>;
  readonly mergedWork: Pick<MergedWorkStore, 'put'>;
  readonly pullRequests: Pick<PullRequestStore, 'record'>;
  /** How providers fare, and which agent does what names none; absent: nobody keeps it. */
  readonly providers?: {
    readonly store: Pick<ProviderCooldownStore, 'recordMark'>;
    readonly fallback: AgentAdapterSettings;
  };
  readonly stateMachines: StepFunctionsClient;
  readonly cascadeMachineArn: string;
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
async function makeFixUp(
  task: Task,
  { tasks, now }: Pick<TaskProjectionContext, 'tasks' | 'now'>,
): Promise<void> {
  if (task.superseded_by === undefined || task.status !== 'failed') return;
  const known = await tasks.getMany(task.depends_on);
  const done = task.depends_on.filter((id) => known.get(id)?.status === 'done');
  await tasks.create(buildFixUp(task, done, now()));
}

/** Has one task verify a pull request at a time: cancels the one whose head is no longer the newest. */
async function supersedeVerification(
  { id, repository, pull_request: pull }: Task,
  { tasks, pullRequests, now }: Pick<TaskProjectionContext, 'tasks' | 'pullRequests' | 'now'>,
): Promise<void> {
  if (pull?.kind !== 'pull_request') return;
  const { head_commit, previous_head, at, number } = pull;
  const made = { task_id: id, head_commit, previous_head, at };
  const superseded = await pullRequests.record(repository, number, made, now());
  if (superseded === null || !(await tasks.get(superseded))) return;
  await tasks.applyCommand(superseded, (task) =>
    isTerminalStatus(task.status)
      ? null
      : cancelTask(task, 'a newer event of the pull request is verified instead', 'assay', now()),
  );
}

/** Looks again at a task that waits: it goes on, waits for the next one, or learns that what it waits for has failed. */
export async function recheckTaskWaitingForFiles(
  id: string,
  context: Pick<TaskProjectionContext, 'tasks' | 'now'>,
): Promise<void> {
  const task = await context.tasks.get(id);
  if (!task?.waits_for) return;
  if (task.status === 'blocked') {
    const dependencies = await withFixUps(task.depends_on, context.tasks);
    await context.tasks.applyCommand(task, (each) =>
      recheckTaskDependencies(each, dependencies, context.now()),
    );
    return;
  }
  const holder = await context.tasks.get(task.waits_for);
  if (task.status === 'open' && (!holder || !isLiveStatus(holder.status)))
    await context.tasks.applyCommand(task, (each) =>
      each.waits_for === task.waits_for ? resumeParkedTask(each, context.now()) : null,
    );
}

/**
 * Makes up for records that the stream has given up: does again what follows from the state of a task alone, whatever was written
 * before. The start of an execution is not among it: whoever looks at what is under way sees to that.
 */
export async function repeatTaskProjections(
  task: Task,
  context: Pick<
    TaskProjectionContext,
    'tasks' | 'locks' | 'counts' | 'beliefs' | 'spend' | 'now' | 'onCompletion'
  >,
): Promise<void> {
  if (task.waits_for !== null) await recheckTaskWaitingForFiles(task.id, context);
  if (!isTerminalStatus(task.status)) return;
  await makeFixUp(task, context);
  await replanAfterFailure(task, context.tasks, context.now());
  await context.locks.release(task);
  for (const id of await context.tasks.listWaiting(task.id)) await recheckTaskWaitingForFiles(id, context);
  if (await context.counts.count(factOf(task), context.now())) context.onCompletion(task);
  for (const outcome of deriveAttemptOutcomes(task)) await context.beliefs.recordOutcome(outcome);
  await settleReservations(null, task, context);
}

/**
 * Makes happen what must follow from one write of a task. Every part can be repeated and may come late: of two executions of a run the
 * first write counts, waiters are looked at as they stand, tasks are counted by version, outcomes by attempt.
 */
export async function applyTaskWriteEffects(
  before: Task | null,
  after: Task,
  context: TaskProjectionContext,
): Promise<void> {
  if (shouldStartCascadeExecution(before, after))
    await context.stateMachines.startExecution(
      context.cascadeMachineArn,
      cascadeExecutionName(after.id, after.run),
      buildCascadeExecutionInput(after),
    );
  if (before === null) await supersedeVerification(after, context);
  const mark = newQualityGateResult(before, after);
  if (mark) await context.breakers.recordMark(mark.model, mark);
  const met = context.providers && deriveProviderObservation(before, after, context.providers.fallback);
  if (met) await context.providers?.store.recordMark(met);
  if (after.waits_for !== null && after.waits_for !== before?.waits_for)
    await recheckTaskWaitingForFiles(after.id, context);
  const ended = isTerminalStatus(after.status) && before?.status !== after.status;
  const letGo = before !== null && isLiveStatus(before.status) && !isLiveStatus(after.status);
  const revived = before !== null && isTerminalStatus(before.status) && !isTerminalStatus(after.status);
  // Before whoever waits is woken: they are to wait for it.
  if (ended) await makeFixUp(after, context);
  if (ended) await replanAfterFailure(after, context.tasks, context.now());
  if (ended) await context.locks.release(after);
  if (ended || letGo || revived)
    for (const id of await context.tasks.listWaiting(after.id)) await recheckTaskWaitingForFiles(id, context);
  if (before?.status !== after.status && (await context.counts.count(factOf(after), context.now())))
    context.onCompletion(after);
  for (const outcome of deriveNewAttemptOutcomes(before, after)) await context.beliefs.recordOutcome(outcome);
  for (const as of findNewMergedWorkKeys(before, after))
    await context.mergedWork.put(after.repository, as, after.id, context.now());
  await settleReservations(before, after, context);
}

/** Puts what attempts, and judging them, have cost in the place of what was set aside for them, once they are over. */
async function settleReservations(
  before: Task | null,
  { id, repository, attempts, runner }: Task,
  { spend }: Pick<TaskProjectionContext, 'spend'>,
): Promise<void> {
  for (const attempt of attempts) {
    const { number, outcome, reservation: reserved, extra_reservations = [] } = attempt;
    const was = before?.attempts.find((each) => each.number === number)?.outcome ?? null;
    if (!reserved || outcome === null || was !== null) continue;
    await spend.settle(
      { reservationId: `${id}#${number}`, repository },
      reserved,
      computeBudgetedAttemptMicroUsd(attempt, runner),
    );
    // All that it cost is in the first one's place.
    for (const { key: mark, ...more } of extra_reservations)
      await spend.settle({ reservationId: mark, repository }, more, 0);
  }
}

const factOf = ({ id, role, version, status, verified, ended_at, updated_at }: Task): TaskStatusChange => ({
  id,
  role,
  version,
  status,
  completion: status === 'done' ? { verified: verified === true, at: ended_at ?? updated_at } : null,
});

/** A task was removed, because its time was over. */
export async function applyTaskRemovalEffects(
  before: Task,
  context: Pick<TaskProjectionContext, 'counts' | 'now'>,
): Promise<void> {
  await context.counts.count(
    { ...factOf(before), version: before.version + 1, status: null, completion: null },
    context.now(),
  );
}
