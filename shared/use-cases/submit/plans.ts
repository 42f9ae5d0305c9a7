import { type AutonomyLevel, getLowerAutonomyLevel } from '../../contract/approval/autonomy.ts';
import { CoordinationSettings } from '../../contract/coordination/settings.ts';
import { PLAN_FILE } from '../../contract/plan/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { TaskSubmission, type TaskSubmissionInput } from '../../contract/submission/schema.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { deriveTaskOrigin } from '../../contract/task/task-origin.ts';
import {
  derivePlanProgress,
  findPlanClarificationReasons,
  getPlanCoordinationSettings,
} from '../../control/coordination/plan-coordination.ts';
import { buildReplanTask } from '../../control/coordination/replan.ts';
import { ClarificationRequiredError } from '../../control/failures/thrown-errors.ts';
import { buildPlannedTasks, idTakenRefusal, plannedTaskId } from '../../control/planning/planned-tasks.ts';
import { createTask, type TaskDependency } from '../../control/task-commands/create.ts';
import { reviewHeldTask } from '../../control/task-commands/operator-commands.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { TaskStore } from '../../store/task-store.ts';
import { type SubmitContext, type SubmitResult, submitTask } from './submit-task.ts';

export interface PlanSubmission
  extends Pick<
    TaskSubmissionInput,
    'repository' | 'base_ref' | 'adapter' | 'model' | 'effort' | 'budget' | 'acceptance_criteria'
  > {
  readonly autonomy?: AutonomyLevel | undefined;
  readonly coordination?: CoordinationSettings | undefined;
  readonly goal: string;
  readonly max_tasks: number;
}

/** @throws Refusal `invalid` where a person must say first what is meant. */
function checkGoal(goal: string, criteria: readonly string[], settings: CoordinationSettings): void {
  const reasons = findPlanClarificationReasons(
    { description: goal, acceptance_criteria: [...criteria] },
    settings,
  );
  if (reasons.length === 0) return;
  const at = criteria.length === 0 ? '/goal' : '/acceptance_criteria';
  const { message } = new ClarificationRequiredError('the plan', reasons);
  throw new Refusal(
    'invalid',
    message,
    reasons.map((reason) => ({ pointer: at, message: reason })),
  );
}

/** A plan is a task of the manager, whose work is a file with tasks: it goes the way of every other task, up to the word of a person. */
export async function submitPlan(
  { goal, max_tasks, coordination, autonomy, ...fields }: PlanSubmission,
  context: SubmitContext & { readonly autonomy: AutonomyLevel },
): Promise<SubmitResult> {
  checkGoal(goal, fields.acceptance_criteria ?? [], coordination ?? CoordinationSettings.parse({}));
  const [first = ''] = goal.split('\n');
  const request = TaskSubmission.parse({
    ...fields,
    title: `Plan: ${truncateText(first, 200)}`,
    description: goal,
    role: 'manager',
    files: [PLAN_FILE],
    ...(autonomy !== undefined && { autonomy: getLowerAutonomyLevel(context.autonomy, autonomy) }),
  });
  return submitTask(request, {
    ...context,
    plan: { max_tasks, proposal: null, ...(coordination && { coordination }) },
  });
}

/** @throws Refusal `not_found` for a task that is none. */
export function requirePlan(task: Task): Task {
  if (task.plan) return task;
  throw new Refusal('not_found', `task ${task.id} is no plan`);
}

/** A person's word on the plan that is proposed; `tree` is the one that was looked at, where the caller knows it. */
export async function reviewPlan(
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
  return tasks.applyCommand(id, (task) => {
    const tree = word.tree ?? currentAttempt(requirePlan(task))?.artifact?.tree ?? '';
    return reviewHeldTask(task, decision, word.reason, word.by, { tree }, word.now);
  });
}

/**
 * Makes the tasks of an approved plan, dependencies first, each by one conditional write under an id that the plan gives it. Cut off in the
 * middle it goes on where it stopped; done again it changes nothing.
 * @throws Refusal `id_taken` when a different task has such an id.
 */
export async function createPlannedTasks(plan: Task, tasks: TaskStore, now: Date): Promise<void> {
  const known = new Map<string, TaskDependency>();
  for (const { request, sha } of buildPlannedTasks(plan)) {
    const id = request.id ?? '';
    const made = createTask(request, {
      id,
      now,
      by: plan.review?.by ?? plan.created_by,
      requestSha256: sha,
      origin: deriveTaskOrigin(plan),
      dependencies: known,
    });
    const { task } = await tasks.create(made);
    if (task.request_sha256 !== sha) throw idTakenRefusal(id);
    known.set(id, task);
  }
}

/** Fix-ups that one piece of work may have are followed so far. */
const FIX_UPS = 3;

/**
 * Plans a goal anew where a task of its plan has failed for good and that was asked for: one conditional write under an id that the plan
 * gives it, so that done again it changes nothing.
 */
export async function replanAfterFailure(
  failed: Task,
  tasks: Pick<TaskStore, 'get' | 'getMany' | 'create'>,
  now: Date,
): Promise<void> {
  if (failed.status !== 'failed' || failed.superseded_by !== undefined || !failed.origin) return;
  // A fix-up was made from the task before it.
  const by = failed.fix_up_of ? (await tasks.get(failed.fix_up_of.root_task_id))?.origin : failed.origin;
  const plan = by && (await tasks.get(by.task_id));
  if (!plan?.plan?.proposal || getPlanCoordinationSettings(plan).replan_strategy !== 'magentic') return;
  const made = await tasks.getMany(plan.plan.proposal.tasks.map(({ key }) => plannedTaskId(plan.id, key)));
  for (let generation = 0; generation < FIX_UPS; generation++) {
    const further = [...made.values()].flatMap(({ superseded_by: id }) => (id && !made.has(id) ? [id] : []));
    if (further.length === 0) break;
    for (const [id, task] of await tasks.getMany(further)) made.set(id, task);
  }
  const { replanLedger: ledger, left_usd } = derivePlanProgress(plan, made);
  if (ledger) await tasks.create(buildReplanTask(plan, ledger, left_usd, now));
}
