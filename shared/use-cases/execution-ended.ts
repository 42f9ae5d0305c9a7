import type { TaskStore } from '../store/tasks.ts';
import { restart } from '../task/commands/recover.ts';
import { needsExecution, START_GRACE_SECONDS } from '../task/deadline.ts';

/** Which run of which task an execution is; null for a name that is none of ours. As `executionName` makes them. */
export function runNamed(name: string): { readonly task: string; readonly run: number } | null {
  const [, task, run] = /^(.+)-r(\d{1,9})$/.exec(name) ?? [];
  return task === undefined ? null : { task, run: Number(run) };
}

/**
 * Step Functions says that an execution has failed, was aborted or has run out of time: the task goes on where it stands with the next one,
 * at once. Not one that was begun a moment ago: what fails each time is tried again at the pace of the deadlines. Answers whether it was restarted.
 */
export async function executionEnded(
  name: string,
  { tasks, now }: { readonly tasks: TaskStore; readonly now: () => Date },
): Promise<boolean> {
  const named = runNamed(name);
  const task = named && (await tasks.get(named.task));
  if (!task) return false;
  const { changed } = await tasks.apply(task, (each) => {
    const idle = now().getTime() - Date.parse(each.updated_at);
    return each.run === named.run && needsExecution(each) && idle >= START_GRACE_SECONDS * 1_000
      ? restart(each, now())
      : null;
  });
  return changed;
}
