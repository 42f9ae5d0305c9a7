import type { SimulationPlan, TaskPlan } from './simulation-plan.ts';

const removed = <T>(list: readonly T[], at: number): T[] => list.filter((_, index) => index !== at);

function withoutTask(plan: SimulationPlan, at: number): SimulationPlan {
  const moved = (position: number): number => (position > at ? position - 1 : position);
  return {
    ...plan,
    tasks: removed(plan.tasks, at).map((task) => ({
      ...task,
      dependsOn: task.dependsOn.filter((each) => each !== at).map(moved),
    })),
    actions: plan.actions.map((action) => ({ ...action, task: moved(action.task) })),
  };
}

/** What of a plan can be left out one by one; of tasks and of their works one stays. */
const LISTS = ['powerCuts', 'outages', 'mainMoves', 'faults', 'actions'] as const;
const SHARES = ['lostStarts', 'doubleStarts', 'diedStarts', 'redelivery'] as const;
const OF_TASKS = ['attempts', 'dependsOn', 'files', 'requestDecisions'] as const;

/** All plans with one thing less. */
export function* generateSmallerPlans(plan: SimulationPlan): Generator<SimulationPlan> {
  for (const share of SHARES) if (plan[share] > 0) yield { ...plan, [share]: 0 };
  if (plan.tasks.length > 1) for (const at of plan.tasks.keys()) yield withoutTask(plan, at);
  for (const list of LISTS)
    for (const at of plan[list].keys()) yield { ...plan, [list]: removed<unknown>(plan[list], at) };
  for (const [index, task] of plan.tasks.entries())
    for (const list of OF_TASKS)
      for (const at of task[list].keys()) {
        if (list === 'attempts' && task.attempts.length === 1) continue;
        const less = { ...task, [list]: removed<unknown>(task[list], at) } as TaskPlan;
        yield { ...plan, tasks: plan.tasks.with(index, less) };
      }
  for (const [index, task] of plan.tasks.entries()) {
    const instead = (less: Partial<TaskPlan>): SimulationPlan => ({
      ...plan,
      tasks: plan.tasks.with(index, { ...task, ...less }),
    });
    if (task.requestMode !== null) yield instead({ requestMode: null, requestDecisions: [] });
    if (task.asksModel) yield instead({ asksModel: false });
    if (task.challenge !== 'off') yield instead({ challenge: 'off' });
    for (const [position, work] of task.attempts.entries()) {
      if (work.approvalRequest !== null)
        yield instead({
          attempts: task.attempts.with(position, { ...work, approvalRequest: null, approvalDecisions: [] }),
        });
      for (const at of work.approvalDecisions.keys())
        yield instead({
          attempts: task.attempts.with(position, {
            ...work,
            approvalDecisions: removed(work.approvalDecisions, at),
          }),
        });
    }
  }
}

/**
 * Leaves out of a plan whatever it breaks its promise without. The library makes values small, and keeps two members of a list where the
 * first is needed and not the second: its lists keep their ends.
 */
export async function shrinkPlan(
  plan: SimulationPlan,
  breaks: (plan: SimulationPlan) => Promise<boolean>,
): Promise<SimulationPlan> {
  for (const less of generateSmallerPlans(plan)) if (await breaks(less)) return shrinkPlan(less, breaks);
  return plan;
}
