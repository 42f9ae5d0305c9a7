import { LAUNCH_KINDS, type LaunchKind } from '../../contract/launch-kind.ts';
import { recordContainerExcused, recordContainerLost } from '../../control/task-commands/recover.ts';
import type { RunningContainerStore } from '../../store/running-containers.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface ContainerStoppedContext {
  readonly tasks: TaskStore;
  readonly register: RunningContainerStore;
  readonly now: () => Date;
}

/** Stop codes of ECS for what is no doing of the box. */
const EXCUSES = ['TaskFailedToStart', 'SpotInterruption', 'TerminationNotice'];

/** Which box a name means; null for what is none. The name is `<task>/<attempt>/<kind>/<launch>`. */
export function parseContainerName(
  name: string,
): { task: string; attempt: number; kind: LaunchKind; number: number } | null {
  const [task, attempt, kind, number] = name.split('/');
  return task && LAUNCH_KINDS.includes(kind as LaunchKind)
    ? { task, attempt: Number(attempt), kind: kind as LaunchKind, number: Number(number) }
    : null;
}

/** ECS says that a box has stopped: when it has not reported, it never will, and its room is free. Answers whether the task has lost it. */
export async function recordContainerStop(
  name: string,
  stopCode: string,
  why: string,
  context: ContainerStoppedContext,
): Promise<boolean> {
  const box = parseContainerName(name);
  if (!box) return false;
  const present = await context.tasks.get(box.task);
  const end = EXCUSES.includes(stopCode) ? recordContainerExcused : recordContainerLost;
  const { changed } = present
    ? await context.tasks.apply(present, (task) =>
        end(task, box.attempt, box.kind, box.number, why, context.now()),
      )
    : { changed: false };
  // Last: whoever comes to do this again finds it by its entry.
  const entry = await context.register.find(name);
  if (entry) await context.register.release(entry);
  return changed;
}
