import { describeOverlap, type Overlap } from '../../contract/submission/file-overlap.ts';
import type { Task } from '../../contract/task/task.ts';
import { startsCascade } from './base.ts';
import { type Change, change } from './change.ts';
import { type Dependency, partialOf, waitingOn } from './create.ts';
import { rewired } from './rewire.ts';

/** Re-examines a blocked task: it opens, waits for the next unmet dependency, or shows that one has failed. Null: nothing new. */
export function reexamine(
  task: Task,
  dependencies: ReadonlyMap<string, Dependency>,
  now: Date,
): Change | null {
  if (task.status !== 'blocked') return null;
  // What it waits for was not done, and is no longer there to become so: a person must decide.
  if (task.waits_for !== null && !dependencies.has(task.waits_for)) return null;
  const moved = rewired(task, dependencies) ?? {};
  const present = { ...task, ...moved };
  const partial = partialOf(present, dependencies);
  const waiting = partial ? null : waitingOn(present.depends_on, dependencies);
  if (!waiting)
    return change(task, 'unblock', now, {
      ...moved,
      ...(partial && { partial }),
      waits_for: null,
      blocked_reason: null,
      run: startsCascade(task) ? task.run + 1 : task.run,
    });
  if (waiting.waits_for === task.waits_for && waiting.blocked_reason?.code === task.blocked_reason?.code)
    return null;
  return change(task, 'wait', now, { ...moved, ...waiting });
}

/** Parks a managed open task until the live task that holds its files has ended. */
export function waitForFiles(
  task: Task,
  conflict: Overlap & { readonly holder: string },
  now: Date,
): Change | null {
  const { holder } = conflict;
  if (task.waits_for === holder) return null;
  return change(task, 'wait', now, {
    waits_for: holder,
    blocked_reason: {
      code: 'files_held',
      task_id: holder,
      message: `${describeOverlap(conflict)} by ${holder}`,
    },
  });
}

/** The holder has ended: try again. */
export function stopWaiting(task: Task, now: Date): Change | null {
  if (task.status !== 'open' || task.waits_for === null) return null;
  return change(task, 'wait', now, { waits_for: null, blocked_reason: null, run: task.run + 1 });
}
