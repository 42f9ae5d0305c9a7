import type { TaskDependency } from '../../contract/task/partial-start.ts';
import { deliveryBranchName, type Task } from '../../contract/task/task.ts';

/** The fix-up at the end of a line that begins with a dependency; itself where there is none. Only what says that it is its fix-up counts. */
function latestFixUpId(id: string, dependencies: ReadonlyMap<string, TaskDependency>): string {
  const next = dependencies.get(id)?.superseded_by;
  const fix = next === undefined ? undefined : dependencies.get(next);
  return fix?.fix_up_of?.task_id === id ? latestFixUpId(fix.id, dependencies) : id;
}

/** What changes of a task where fix-ups have taken the place of what it depends on; null: nothing. */
export function replaceFailedDependenciesByFixUps(
  task: Pick<Task, 'depends_on' | 'rewired_dependencies' | 'base_ref' | 'base_commit'>,
  dependencies: ReadonlyMap<string, TaskDependency>,
): Pick<Task, 'depends_on' | 'rewired_dependencies' | 'base_ref'> | null {
  const moved = task.depends_on
    .map((from) => ({ from, to: latestFixUpId(from, dependencies) }))
    .filter(({ from, to }) => from !== to);
  if (moved.length === 0) return null;
  const to = new Map(moved.map((each) => [each.from, each.to]));
  // What begins where one dependency has ended begins where its fix-up ends.
  const base = moved.find(
    ({ from }) => task.base_commit === null && task.base_ref === deliveryBranchName(from),
  );
  return {
    depends_on: [...new Set(task.depends_on.map((id) => to.get(id) ?? id))],
    rewired_dependencies: [...(task.rewired_dependencies ?? []), ...moved],
    base_ref: base ? deliveryBranchName(base.to) : task.base_ref,
  };
}
