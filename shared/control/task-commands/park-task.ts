import { describeFileOverlap, type FileOverlap } from '../../contract/submission/file-overlap.ts';
import type { Task } from '../../contract/task/task.ts';
import { shouldStartCascade } from './base-commit.ts';
import { findBlockingDependency, findPartialDependencyStart, type TaskDependency } from './create.ts';
import { replaceFailedDependenciesByFixUps } from './replace-failed-dependencies.ts';
import { applyTaskEvent, type TaskChange } from './task-change.ts';

/** Re-examines a blocked task: it opens, waits for the next unmet dependency, or shows that one has failed. Null: nothing new. */
export function recheckTaskDependencies(
  task: Task,
  dependencies: ReadonlyMap<string, TaskDependency>,
  now: Date,
): TaskChange | null {
  if (task.status !== 'blocked') return null;
  // What it waits for was not done, and is no longer there to become so: a person must decide.
  if (task.waits_for !== null && !dependencies.has(task.waits_for)) return null;
  const moved = replaceFailedDependenciesByFixUps(task, dependencies) ?? {};
  const present = { ...task, ...moved };
  const partial = findPartialDependencyStart(present, dependencies);
  const waiting = partial ? null : findBlockingDependency(present.depends_on, dependencies);
  if (!waiting)
    return applyTaskEvent(task, 'unblock', now, {
      ...moved,
      ...(partial && { partial_start: partial }),
      waits_for: null,
      blocked_reason: null,
      run: shouldStartCascade(task) ? task.run + 1 : task.run,
    });
  if (waiting.waits_for === task.waits_for && waiting.blocked_reason?.code === task.blocked_reason?.code)
    return null;
  return applyTaskEvent(task, 'wait', now, { ...moved, ...waiting });
}

/** Parks a managed open task until the live task that holds its files has ended. */
export function parkTaskForFiles(
  task: Task,
  conflict: FileOverlap & { readonly holder: string },
  now: Date,
): TaskChange | null {
  const { holder } = conflict;
  if (task.waits_for === holder) return null;
  return applyTaskEvent(task, 'wait', now, {
    waits_for: holder,
    blocked_reason: {
      code: 'files_locked',
      task_id: holder,
      message: `${describeFileOverlap(conflict)} by ${holder}`,
    },
  });
}

/** The holder has ended: try again. */
export function resumeParkedTask(task: Task, now: Date): TaskChange | null {
  if (task.status !== 'open' || task.waits_for === null) return null;
  return applyTaskEvent(task, 'wait', now, { waits_for: null, blocked_reason: null, run: task.run + 1 });
}
