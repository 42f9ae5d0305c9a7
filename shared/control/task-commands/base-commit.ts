import { Refusal } from '../../contract/refusal.ts';
import { GitObjectId } from '../../contract/repository/git-ref.ts';
import type { Task } from '../../contract/task/task.ts';

/** The commit that a ref names by itself, or null: then the repository must be asked. */
export const parseFullCommitId = (ref: string): string | null =>
  GitObjectId.safeParse(ref).success ? ref : null;

/** Does the task need an execution of the cascade while it is open? An outside agent's only until its base is known. */
export const shouldStartCascade = (task: Pick<Task, 'runner' | 'base_commit' | 'workflow'>): boolean =>
  task.runner !== 'external' || task.base_commit === null || task.workflow !== undefined;

/** Is there anything that the repository has still to be asked before the task can be given to somebody? */
export const isBaseCommitUnresolved = ({
  base_commit,
  resolved_role,
  runner,
  workflow,
  resolved_workflow,
}: Pick<Task, 'base_commit' | 'resolved_role' | 'runner' | 'workflow' | 'resolved_workflow'>): boolean =>
  base_commit === null ||
  (resolved_role === null && runner === 'managed') ||
  (workflow !== undefined && resolved_workflow === undefined);

/** The commit that the task is bound to. Refuses while there is none. */
export function requireBaseCommit(task: Task): string {
  if (task.base_commit === null)
    throw new Refusal('base_unresolved', `the base ref of task ${task.id} is not resolved yet; try again`);
  return task.base_commit;
}

/** Does the same as `requireBaseCommit`, and refuses any other that the caller names. */
export function requireSameBaseCommit(task: Task, named: string | undefined, at = '/base_commit'): string {
  const base = requireBaseCommit(task);
  if (named !== undefined && named !== base)
    throw new Refusal('wrong_base', `task ${task.id} is bound to base ${base}, not ${named}`, [
      { pointer: at, message: `is not the base commit of this task, ${base}` },
    ]);
  return base;
}
