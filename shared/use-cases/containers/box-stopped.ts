import { BOX_KINDS, type BoxKind } from '../../contract/box-kind.ts';
import { boxExcused, boxLost } from '../../control/task-commands/recover.ts';
import type { BoxRegister } from '../../store/box-register.ts';
import type { TaskStore } from '../../store/tasks.ts';

export interface StoppedContext {
  readonly tasks: TaskStore;
  readonly register: BoxRegister;
  readonly now: () => Date;
}

/** Stop codes of ECS for what is no doing of the box. */
const EXCUSES = ['TaskFailedToStart', 'SpotInterruption', 'TerminationNotice'];

/** Which box a name means; null for what is none. The name is `<task>/<attempt>/<kind>/<launch>`. */
export function boxNamed(
  name: string,
): { task: string; attempt: number; kind: BoxKind; number: number } | null {
  const [task, attempt, kind, number] = name.split('/');
  return task && BOX_KINDS.includes(kind as BoxKind)
    ? { task, attempt: Number(attempt), kind: kind as BoxKind, number: Number(number) }
    : null;
}

/** ECS says that a box has stopped: when it has not reported, it never will, and its room is free. Answers whether the task has lost it. */
export async function boxStopped(
  name: string,
  stopCode: string,
  why: string,
  context: StoppedContext,
): Promise<boolean> {
  const box = boxNamed(name);
  if (!box) return false;
  const present = await context.tasks.get(box.task);
  const end = EXCUSES.includes(stopCode) ? boxExcused : boxLost;
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
