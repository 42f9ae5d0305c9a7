import { CoordinationSettings } from '../../contract/coordination/settings.ts';
import { computeAttemptCost, roundBudgetUsage } from '../../contract/task/attempt-cost.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import type { Task } from '../../contract/task/task.ts';
import { determineEffectiveAutonomyLevel } from '../approvals/effective-autonomy.ts';
import { sanitizeText } from '../middleware/sanitize-text.ts';
import { plannedTaskId } from '../planning/planned-tasks.ts';
import { COORDINATION_MIDDLEWARE } from './builtin.ts';
import { unclearGoalReasons } from './clarification.ts';
import { type PlanCoordinationContext, runCoordinationHook } from './context.ts';

export const getPlanCoordinationSettings = ({ plan }: Pick<Task, 'plan'>): CoordinationSettings =>
  plan?.coordination ?? plan?.base_coordination ?? CoordinationSettings.parse({});

/** What a person must say first, as the project sees it: a plan is handed in before anybody has read its base. Empty: it is clear. */
export const findPlanClarificationReasons = (
  { description, acceptance_criteria }: Pick<Task, 'description' | 'acceptance_criteria'>,
  { chain, clarification_gate }: CoordinationSettings,
): string[] =>
  chain.includes('clarification_gate')
    ? unclearGoalReasons(description, acceptance_criteria, clarification_gate)
    : [];

export const buildCoordinationChain = (settings: CoordinationSettings) =>
  settings.chain.map((name) => COORDINATION_MIDDLEWARE[name]);

/** The plan in words, one line for each of its tasks. */
const describePlan = ({ plan }: Task): string =>
  (plan?.proposal?.tasks ?? [])
    .map(
      ({ key, title, depends_on }) =>
        `${key}: ${title}${depends_on.length > 0 ? ` (after ${depends_on.join(', ')})` : ''}`,
    )
    .join('\n');

/**
 * Dollars of the plan's budget that neither planning nor these tasks of it have used, at least 0; undefined: it has no limit. Unknown
 * costs count as nothing, as in every budget.
 */
export function remainingPlanBudget(
  plan: Pick<Task, 'budget' | 'attempts' | 'first_budgeted_attempt'>,
  tasks: readonly Task[],
): number | undefined {
  const { max_cost_usd: limit } = plan.budget;
  if (limit === undefined) return undefined;
  const spent = tasks.flatMap(({ attempts }) => attempts.map((attempt) => computeAttemptCost(attempt).usd));
  const left = limit - roundBudgetUsage(plan).usd - spent.reduce((sum, usd) => sum + usd, 0);
  return Math.max(0, Math.round(left * 1e6) / 1e6);
}

/** What is known of a plan before anything of its tasks is. */
export function toPlanCoordinationContext(task: Task): PlanCoordinationContext {
  const text = describePlan(task);
  return {
    task_id: task.id,
    goal: task.description,
    criteria: task.acceptance_criteria,
    settings: getPlanCoordinationSettings(task),
    // Only who asks for it has a plan go on without a person; base and deployment can lower it.
    autonomy: task.autonomy === undefined ? null : determineEffectiveAutonomyLevel(task, task.autonomy),
    plan:
      text === ''
        ? null
        : {
            text,
            version: Math.max(1, task.attempts.length),
            at: task.attempts.at(-1)?.started_at ?? task.created_at,
          },
    taskResults: null,
    failedPhases: [],
    isReplanAffordable: remainingPlanBudget(task, []) !== 0,
    task_ledger: null,
    progress_ledger: task.plan?.progress_ledger ?? null,
    replanLedger: null,
    metadata: {},
  };
}

/** Its tasks as they were made, each with those that have taken its place when it failed; `child` is the last of them. */
function listPlannedTasks(
  task: Task,
  made: ReadonlyMap<string, Task>,
): { readonly key: string; readonly child: Task; readonly all: readonly Task[] }[] {
  const from = (child: Task): Task[] => {
    const next = child.superseded_by === undefined ? undefined : made.get(child.superseded_by);
    return [child, ...(next ? from(next) : [])];
  };
  return (task.plan?.proposal?.tasks ?? []).flatMap(({ key }) => {
    const child = made.get(plannedTaskId(task.id, key));
    const all = child ? from(child) : [];
    return all.slice(-1).map((last) => ({ key, child: last, all }));
  });
}

const collectReportedText = ({ attempts, failure }: Task): string =>
  [failure?.message ?? '', ...attempts.flatMap(({ report }) => report?.summary ?? [])].join('\n');

/**
 * How the tasks of a plan get on: each that has ended is a round, in the order in which they did. It is derived from what stands in the
 * table, so that it is the same whoever asks and however often.
 */
export function derivePlanProgress(
  task: Task,
  made: ReadonlyMap<string, Task>,
): PlanCoordinationContext & {
  /** Of its budget, when it was planned anew, and now where it was not; undefined: it has no limit. */
  readonly left_usd: number | undefined;
} {
  const chain = buildCoordinationChain(getPlanCoordinationSettings(task));
  const start = toPlanCoordinationContext(task);
  const before = start.progress_ledger?.completed_count ?? 0;
  const ended = listPlannedTasks(task, made)
    .filter(({ child }) => isTerminalStatus(child.status))
    .sort(
      (a, b) => (a.child.ended_at ?? '').localeCompare(b.child.ended_at ?? '') || a.key.localeCompare(b.key),
    );
  let context = start;
  let left = remainingPlanBudget(task, []);
  for (const [index] of ended.entries()) {
    const so_far = ended.slice(0, index + 1);
    const completed = before + so_far.filter(({ child }) => child.status === 'done').length;
    // What a budget has stopped, another plan would meet again.
    const isStopped = so_far.some(({ child }) => child.failure?.code === 'budget_exhausted');
    const failed = so_far.flatMap(({ key, child }) =>
      child.failure
        ? [{ name: key, error: sanitizeText(`${child.failure.code}: ${child.failure.message}`) }]
        : [],
    );
    const text = so_far.map(({ child }) => collectReportedText(child)).join('\n');
    if (!context.replanLedger)
      left = remainingPlanBudget(
        task,
        so_far.flatMap(({ all }) => all),
      );
    const next = runCoordinationHook(chain, 'after_rollup', {
      ...context,
      taskResults: { completed, text },
      failedPhases: failed,
      isReplanAffordable: left !== 0 && !isStopped,
    });
    // A plan that was made in its place stays made, whatever else gets done.
    context = { ...next, replanLedger: context.replanLedger ?? next.replanLedger };
  }
  return { ...runCoordinationHook(chain, 'before_update_parent', context), left_usd: left };
}
