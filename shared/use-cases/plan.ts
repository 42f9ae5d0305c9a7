import { requestsOf, taken } from '../plan/create.ts';
import { PLAN_FILE } from '../plan/schema.ts';
import { Refusal } from '../refusal.ts';
import type { TaskStore } from '../store/tasks.ts';
import { createTask, type Dependency } from '../task/commands/create.ts';
import { review } from '../task/commands/operate.ts';
import { firstOf } from '../task/cut.ts';
import { madeFrom } from '../task/made-from.ts';
import { SubmitTask, type SubmitTaskInput } from '../task/schema.ts';
import { currentAttempt, type Task } from '../task/task.ts';
import { type SubmitContext, type Submitted, submitTask } from './submit.ts';

export interface PlanRequest
  extends Pick<SubmitTaskInput, 'repository' | 'base_ref' | 'adapter' | 'model' | 'effort' | 'budget'> {
  readonly goal: string;
  readonly max_tasks: number;
}

/** A plan is a task of the manager, whose work is a file with tasks: it goes the way of every other task, up to the word of a person. */
export async function submitPlan(
  { goal, max_tasks, ...fields }: PlanRequest,
  context: SubmitContext,
): Promise<Submitted> {
  const [first = ''] = goal.split('\n');
  const request = SubmitTask.parse({
    ...fields,
    title: `Plan: ${firstOf(first, 200)}`,
    description: goal,
    role: 'manager',
    files: [PLAN_FILE],
  });
  return submitTask(request, { ...context, plan: { max_tasks, proposal: null } });
}

/** @throws Refusal `not_found` for a task that is none. */
export function requirePlan(task: Task): Task {
  if (task.plan) return task;
  throw new Refusal('not_found', `task ${task.id} is no plan`);
}

/** A person's word on the plan that is proposed; `tree` is the one that was looked at, where the caller knows it. */
export async function decidePlan(
  id: string,
  decision: 'approve' | 'reject',
  word: {
    readonly reason: string;
    readonly by: string;
    readonly tree?: string | undefined;
    readonly now: Date;
  },
  tasks: TaskStore,
): Promise<Task> {
  return tasks.change(id, (task) => {
    const tree = word.tree ?? currentAttempt(requirePlan(task))?.artifact?.tree ?? '';
    return review(task, decision, word.reason, word.by, { tree }, word.now);
  });
}

/**
 * Makes the tasks of an approved plan, dependencies first, each by one conditional write under an id that the plan gives it. Cut off in the
 * middle it goes on where it stopped; done again it changes nothing.
 * @throws Refusal `id_taken` when a different task has such an id.
 */
export async function createPlanned(plan: Task, tasks: TaskStore, now: Date): Promise<void> {
  const known = new Map<string, Dependency>();
  for (const { request, sha } of requestsOf(plan)) {
    const id = request.id ?? '';
    const made = createTask(request, {
      id,
      now,
      by: plan.review?.by ?? plan.created_by,
      requestSha256: sha,
      madeFrom: madeFrom(plan),
      dependencies: known,
    });
    const { task } = await tasks.create(made);
    if (task.request_sha256 !== sha) throw taken(id);
    known.set(id, task);
  }
}
