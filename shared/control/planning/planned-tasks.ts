import type { PlannedTask } from '../../contract/plan/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { sortDependenciesFirst } from '../../contract/submission/dependency-graph.ts';
import { TaskSubmission } from '../../contract/submission/schema.ts';
import { deliveryBranchName, type Task } from '../../contract/task/task.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';

export const plannedTaskId = (plan: string, key: string): string => `${plan}-${key}`;

/**
 * The request that a planned task becomes. Repository and adapter are the plan's. One that needs the result of exactly one other starts
 * from what that one has delivered; with several there is no such commit, and it starts where the plan did.
 */
export function buildPlannedTask(plan: Task, planned: PlannedTask): TaskSubmission {
  const { key, new_files: creates, files, depends_on, ...fields } = planned;
  const needs = depends_on.map((each) => plannedTaskId(plan.id, each));
  const [only] = needs;
  return TaskSubmission.parse({
    ...fields,
    id: plannedTaskId(plan.id, key),
    repository: plan.repository,
    base_ref: needs.length === 1 && only !== undefined ? deliveryBranchName(only) : plan.base_ref,
    depends_on: needs,
    files: [...new Set([...files, ...creates])],
    ...(plan.adapter === undefined ? {} : { adapter: plan.adapter }),
    ...(plan.autonomy === undefined ? {} : { autonomy: plan.autonomy }),
  });
}

/** All of them, each after those it depends on, with the hash that tells it from another of the same id. */
export function buildPlannedTasks(
  plan: Task,
): readonly { readonly request: TaskSubmission; readonly sha: string }[] {
  const byKey = new Map((plan.plan?.proposal?.tasks ?? []).map((each) => [each.key, each]));
  const order = sortDependenciesFirst(new Map([...byKey].map(([key, { depends_on }]) => [key, depends_on])));
  return order.flatMap((key) => {
    const planned = byKey.get(key);
    if (planned === undefined) return [];
    const request = buildPlannedTask(plan, planned);
    return [{ request, sha: canonicalHash(request) }];
  });
}

/** Another task has the id that a planned one would get. */
export const idTakenRefusal = (id: string): Refusal =>
  new Refusal('id_taken', `the id ${id} of a planned task belongs to a different task`);
