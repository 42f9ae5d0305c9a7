import { plannedId } from '../plan/create.ts';
import { planState } from '../plan/state.ts';
import { currentAttempt, type Task } from '../task/task.ts';
import type { PlanView } from './plan-schemas.ts';

/** A plan as the API shows it. `made`: those of its tasks that are there. */
export function planView(task: Task, made: ReadonlyMap<string, Pick<Task, 'status'>>): PlanView {
  const attempt = currentAttempt(task);
  const { proposal = null } = task.plan ?? {};
  // Of the attempt that is being made nothing is known yet; the one before says why it is made.
  const told = attempt?.outcome === null && !attempt.verdict ? task.attempts.at(-2) : attempt;
  const said = task.failure ? [task.failure.message] : [];
  return {
    id: task.id,
    state: planState(task),
    goal: task.description,
    repository: task.repository,
    base_ref: task.base_ref,
    base_commit: task.base_commit,
    tree: attempt?.artifact?.tree ?? null,
    tasks: (proposal?.tasks ?? []).map((planned) => {
      const id = plannedId(task.id, planned.key);
      return { ...planned, id, status: made.get(id)?.status ?? null };
    }),
    notes: proposal?.notes ?? [],
    attempts: task.attempts.length,
    reasons: [...said, ...(told?.verdict?.reasons.map(({ message }) => message) ?? [])],
    version: task.version,
  };
}
