import { currentAttempt, type Task } from '../contract/task/task.ts';
import { derivePlanProgress } from '../control/coordination/plan-coordination.ts';
import { decidePlanDispatch } from '../control/coordination/plan-review.ts';
import { replanTaskId } from '../control/coordination/replan.ts';
import { derivePlanState } from '../control/planning/plan-state.ts';
import { plannedTaskId } from '../control/planning/planned-tasks.ts';
import type { PlanView } from './plan-schemas.ts';

function coordinationView(task: Task, made: ReadonlyMap<string, Task>): PlanView['coordination'] {
  const { gateReason, context } = decidePlanDispatch(task);
  const { progress_ledger, metadata, replanLedger } = derivePlanProgress(task, made);
  const cues = metadata['authority_deference_coordination'] as
    | { readonly detected_count?: number }
    | undefined;
  return {
    review_reason: derivePlanState(task) === 'proposed' ? gateReason : null,
    task_ledger: context.task_ledger,
    progress_ledger,
    authority_cues: cues?.detected_count ?? 0,
    replacement_plan_id: replanLedger ? replanTaskId(task, replanLedger) : null,
  };
}

/** A plan as the API shows it. `made`: those of its tasks that are there. */
export function planView(task: Task, made: ReadonlyMap<string, Task>): PlanView {
  const attempt = currentAttempt(task);
  const { proposal = null } = task.plan ?? {};
  // Of the attempt that is being made nothing is known yet; the one before says why it is made.
  const told = attempt?.outcome === null && !attempt.verdict ? task.attempts.at(-2) : attempt;
  const said = task.failure ? [task.failure.message] : [];
  return {
    id: task.id,
    state: derivePlanState(task),
    goal: task.description,
    repository: task.repository,
    base_ref: task.base_ref,
    base_commit: task.base_commit,
    tree: attempt?.artifact?.tree ?? null,
    tasks: (proposal?.tasks ?? []).map((planned) => {
      const id = plannedTaskId(task.id, planned.key);
      return { ...planned, id, status: made.get(id)?.status ?? null };
    }),
    notes: proposal?.notes ?? [],
    attempts: task.attempts.length,
    reasons: [...said, ...(told?.verdict?.reasons.map(({ message }) => message) ?? [])],
    version: task.version,
    coordination: coordinationView(task, made),
  };
}
