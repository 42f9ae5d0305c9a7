import { setTimeout } from 'node:timers/promises';
import type { TaskView } from '../shared/api/task-schemas.ts';
import { isTerminalStatus } from '../shared/contract/task/status.ts';
import type { ApiRouteClient } from './client.ts';
import { CLI_EXIT_CODES, CliError, type ExitCode } from './exit.ts';
import { startTaskProgress } from './output/task-progress.ts';
import type { ServerCommandSession } from './session.ts';

/** The blocked reasons that no event of this task's own will ever lift. */
const DEAD_ENDS = ['dependency_failed', 'dependency_cancelled'];

/** Waits for somebody's word: on its work, or on what its agent asks leave for. */
const isAsked = ({ hold, status }: TaskView): boolean => hold !== null || status === 'auth_required';

/** True when only a person can move the task on: it is waiting for a word, or for a task that has failed. */
export const requiresHumanDecision = (task: TaskView): boolean =>
  isAsked(task) || (task.blocked_reason !== null && DEAD_ENDS.includes(task.blocked_reason.code));

export const hasSettled = (task: TaskView): boolean =>
  isTerminalStatus(task.status) || requiresHumanDecision(task);

/** Asking intervals in milliseconds: often while things move, seldom while they do not. */
const FASTEST = 150;
const SLOWEST = 2_000;
/** Requests under way at once. */
const WIDTH = 8;

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called once for each task at the start, and after every change of a task or of what its agent says. */
  readonly onChange?: (task: TaskView) => void;
}

/**
 * Follows tasks until each has settled; answers their last state in the order of `ids`. The HTTP API has no
 * push, so this asks again and again; it and a worker with nothing to claim (worker/run-worker.ts) are the only ones that do. Rejects when `signal` aborts.
 */
export async function followTasks(
  client: ApiRouteClient,
  ids: readonly string[],
  options: FollowOptions = {},
): Promise<TaskView[]> {
  const last = new Map<string, TaskView>();
  let wait = FASTEST;
  for (;;) {
    const open = ids.filter((id) => {
      const task = last.get(id);
      return task === undefined || !hasSettled(task);
    });
    if (open.length === 0) return ids.flatMap((id) => last.get(id) ?? []);
    if (last.size > 0) await setTimeout(wait, undefined, options.signal ? { signal: options.signal } : {});
    let changed = false;
    for (let at = 0; at < open.length; at += WIDTH)
      for (const task of await Promise.all(
        open
          .slice(at, at + WIDTH)
          .map((id) => client.getTask({ id }, options.signal ? { signal: options.signal } : {})),
      )) {
        const seen = last.get(task.id);
        if (seen?.version === task.version && seen.progress === task.progress) continue;
        last.set(task.id, task);
        changed = true;
        options.onChange?.(task);
      }
    wait = changed ? FASTEST : Math.min(SLOWEST, wait * 1.3);
  }
}

/** The same within a time limit in seconds (undefined: none); when it passes, an error with exit code 124. */
export async function followWithTimeout(
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
    throw new CliError(CLI_EXIT_CODES.timeout, 'timeout', `Not ended after ${seconds} s.`, {
      hint: 'The tasks go on: follow them with `assay watch ID`, or withdraw them with `assay cancel ID`.',
    });
  }
}

/** Follows tasks with their progress on standard error: standard output has the result only. */
export async function followWithProgress(
  session: ServerCommandSession,
  ids: readonly string[],
  seconds: number | undefined,
): Promise<TaskView[]> {
  const progress = startTaskProgress(session.io.stderr, session.err, ids);
  try {
    return await followWithTimeout(seconds, session.client(), ids, progress.show);
  } finally {
    progress.stop();
  }
}

/** Returns 1 if a task failed or can never start, else 3 if a task waits for a reviewer or approver, else 0. */
export function exitCodeForTasks(tasks: readonly TaskView[]): ExitCode {
  if (tasks.some((task) => task.status !== 'done' && !isAsked(task))) return CLI_EXIT_CODES.failed;
  return tasks.some((task) => task.status !== 'done') ? CLI_EXIT_CODES.needsReview : CLI_EXIT_CODES.ok;
}
