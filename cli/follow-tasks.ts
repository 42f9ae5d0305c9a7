import { setTimeout } from 'node:timers/promises';
import type { TaskView } from '../shared/api/task-schemas.ts';
import { isTerminalStatus } from '../shared/contract/task/status.ts';
import type { ApiRouteClient } from './client.ts';
import { CLI_EXIT_CODES, CliError, type CliExitCode } from './exit.ts';
import { startTaskProgressDisplay } from './output/task-progress.ts';
import type { ServerCommandSession } from './session.ts';

/** Blocked reasons that last until an operator acts on another task. */
const PERMANENT_BLOCKS = ['dependency_failed', 'dependency_cancelled'];

/** Whether a task waits for a reviewer or an approver. */
const awaitsDecision = ({ hold, status }: TaskView): boolean => hold !== null || status === 'auth_required';

/** Whether only a reviewer, approver or operator can move the task on. */
export const requiresHumanDecision = (task: TaskView): boolean =>
  awaitsDecision(task) ||
  (task.blocked_reason !== null && PERMANENT_BLOCKS.includes(task.blocked_reason.code));

const hasTaskSettled = (task: TaskView): boolean =>
  isTerminalStatus(task.status) || requiresHumanDecision(task);

/**
 * Follows what a task waits for, from task to task, to one that only a person can move on. Null: the task can still go on by itself, or the
 * caller may not read what it waits for.
 */
async function findBlockingDecision(
  task: TaskView,
  read: (id: string) => Promise<TaskView | null>,
): Promise<TaskView | null> {
  let current: TaskView | null = task;
  const seen = new Set<string>();
  while (current !== null && !seen.has(current.id)) {
    seen.add(current.id);
    if (requiresHumanDecision(current)) return current;
    current = current.blocked_reason === null ? null : await read(current.blocked_reason.task_id);
  }
  return null;
}

/** Returns a reader of tasks that prefers `known` ones, and returns null for a task that the caller cannot read. */
const createTaskReader =
  (client: ApiRouteClient, known: ReadonlyMap<string, TaskView>) =>
  async (id: string): Promise<TaskView | null> => {
    try {
      return known.get(id) ?? (await client.getTask({ id }));
    } catch (error) {
      if (error instanceof CliError && error.exitCode === CLI_EXIT_CODES.notFound) return null;
      throw error;
    }
  };

/** Returns the tasks, among these and among those that they wait for, that wait for a reviewer or an approver. */
export async function findPendingDecisions(
  client: ApiRouteClient,
  tasks: readonly TaskView[],
): Promise<TaskView[]> {
  const read = createTaskReader(client, new Map(tasks.map((task) => [task.id, task])));
  const found = new Map<string, TaskView>();
  for (const task of tasks) {
    const blocking = await findBlockingDecision(task, read);
    if (blocking && awaitsDecision(blocking)) found.set(blocking.id, blocking);
  }
  return [...found.values()];
}

/** Polling intervals: short while tasks change, longer while they do not. */
const MIN_POLL_MS = 150;
const MAX_POLL_MS = 2_000;
/** Maximum number of concurrent requests. */
const MAX_REQUESTS = 8;

export interface FollowTasksOptions {
  readonly signal?: AbortSignal;
  /** Called once for each task at the start, and after every change of a task or of its progress. */
  readonly onChange?: (task: TaskView) => void;
}

/** Whether all of these tasks wait for decisions about other tasks. */
async function areBlockedByDecisions(
  client: ApiRouteClient,
  open: readonly string[],
  last: ReadonlyMap<string, TaskView>,
): Promise<boolean> {
  const waiting = open.flatMap((id) => last.get(id) ?? []);
  if (waiting.length < open.length || waiting.some((task) => task.blocked_reason === null)) return false;
  const read = createTaskReader(client, last);
  for (const task of waiting) if ((await findBlockingDecision(task, read)) === null) return false;
  return true;
}

/**
 * Follows tasks until each has settled, or waits for a decision about another task. Returns their last states in the order of `ids`; rejects when `signal` aborts. The HTTP API has
 * no push, so this polls; only a worker without a task (worker/run-worker.ts) polls, too.
 */
export async function followTasks(
  client: ApiRouteClient,
  ids: readonly string[],
  options: FollowTasksOptions = {},
): Promise<TaskView[]> {
  const last = new Map<string, TaskView>();
  let wait = MIN_POLL_MS;
  for (;;) {
    const open = ids.filter((id) => {
      const task = last.get(id);
      return task === undefined || !hasTaskSettled(task);
    });
    if (open.length === 0 || (await areBlockedByDecisions(client, open, last)))
      return ids.flatMap((id) => last.get(id) ?? []);
    if (last.size > 0) await setTimeout(wait, undefined, options.signal ? { signal: options.signal } : {});
    let changed = false;
    for (let at = 0; at < open.length; at += MAX_REQUESTS)
      for (const task of await Promise.all(
        open
          .slice(at, at + MAX_REQUESTS)
          .map((id) => client.getTask({ id }, options.signal ? { signal: options.signal } : {})),
      )) {
        const known = last.get(task.id);
        if (known?.version === task.version && known.progress === task.progress) continue;
        last.set(task.id, task);
        changed = true;
        options.onChange?.(task);
      }
    wait = changed ? MIN_POLL_MS : Math.min(MAX_POLL_MS, wait * 1.3);
  }
}

/** Follows tasks within a time limit in seconds; undefined: no limit. @throws CliError with exit code 124 when it passes */
export async function followTasksWithTimeout(
  seconds: number | undefined,
  client: ApiRouteClient,
  ids: readonly string[],
  onChange: (task: TaskView) => void,
): Promise<TaskView[]> {
  const signal = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000);
  try {
    return await followTasks(client, ids, signal ? { signal, onChange } : { onChange });
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new CliError(CLI_EXIT_CODES.timeout, 'timeout', `The tasks did not end within ${seconds} s.`, {
      hint: 'They continue: follow them with `assay watch ID`, or cancel them with `assay cancel ID`.',
    });
  }
}

/** Follows tasks with their progress on standard error: standard output has the result only. */
export async function followTasksWithProgress(
  session: ServerCommandSession,
  ids: readonly string[],
  seconds: number | undefined,
): Promise<TaskView[]> {
  const progress = startTaskProgressDisplay(session.io.stderr, session.err, ids);
  try {
    return await followTasksWithTimeout(seconds, session.client(), ids, progress.show);
  } finally {
    progress.stop();
  }
}

/** Returns 1 if a task failed or can never start, else 3 if a task waits for a decision about it or about another task, else 0. */
export function exitCodeForTasks(tasks: readonly TaskView[]): CliExitCode {
  const canStillEnd = (task: TaskView): boolean =>
    awaitsDecision(task) || (task.blocked_reason !== null && !requiresHumanDecision(task));
  if (tasks.some((task) => task.status !== 'done' && !canStillEnd(task))) return CLI_EXIT_CODES.failed;
  return tasks.some((task) => task.status !== 'done') ? CLI_EXIT_CODES.needsReview : CLI_EXIT_CODES.ok;
}
