import type { CheckOutcome } from '../../contract/check-outcome.ts';
import { MAX_PLAN_BYTES, type Plan, type PlanCheckNote } from '../../contract/plan/schema.ts';
import { findCycle } from '../../contract/submission/dependency-graph.ts';
import { describeSignal } from '../../contract/submission/signals.ts';

/** What is known of the base that a plan is for. */
export interface PlanBaseFacts {
  /** Is there a file or folder of this path? */
  readonly pathExists: (path: string) => boolean;
  readonly roles: readonly string[];
  /** What each signal of each task says of the base as it stands, in the plan's order. */
  readonly signalOutcomes: readonly (readonly CheckOutcome[])[];
  readonly maxTasks: number;
}

export interface PlanProblem {
  /** Where in the plan. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const findDuplicateKeys = (plan: Plan): PlanProblem[] =>
  plan.tasks.flatMap(({ key }, index) =>
    plan.tasks.findIndex((each) => each.key === key) < index
      ? [{ path: ['tasks', index, 'key'], message: `${key} is used twice` }]
      : [],
  );

/** What can be known to be wrong before anything of the plan is run. */
export function findPlanShapeProblems(
  plan: Plan,
  { pathExists, roles, maxTasks }: Omit<PlanBaseFacts, 'signalOutcomes'>,
): PlanProblem[] {
  const keys = new Set(plan.tasks.map(({ key }) => key));
  const problems: PlanProblem[] = [...findDuplicateKeys(plan)];
  const bytes = Buffer.byteLength(JSON.stringify(plan));
  if (bytes > MAX_PLAN_BYTES)
    problems.push({ path: [], message: `has ${bytes} bytes; ${MAX_PLAN_BYTES} is the most` });
  if (plan.tasks.length > maxTasks)
    problems.push({ path: ['tasks'], message: `has ${plan.tasks.length} tasks; ${maxTasks} is the most` });
  for (const [index, task] of plan.tasks.entries()) {
    const at = (field: string, place: number, message: string): void => {
      problems.push({ path: ['tasks', index, field, place], message });
    };
    if (!roles.includes(task.role))
      problems.push({
        path: ['tasks', index, 'role'],
        message: `there is no role ${task.role}; known are ${roles.join(', ')}`,
      });
    for (const [place, key] of task.depends_on.entries())
      if (!keys.has(key)) at('depends_on', place, `no task of this plan is ${key}`);
    for (const [place, path] of task.files.entries())
      if (!pathExists(path))
        at('files', place, `${path} is not in the base; a new file belongs under creates`);
    for (const [place, path] of task.new_files.entries())
      if (pathExists(path)) at('new_files', place, `${path} is in the base already; it belongs under files`);
  }
  const cycle = findCycle(new Map(plan.tasks.map(({ key, depends_on }) => [key, depends_on])));
  if (cycle)
    problems.push({
      path: ['tasks', plan.tasks.findIndex(({ key }) => key === cycle[0]), 'depends_on'],
      message: `the dependencies form a cycle: ${cycle.join(' -> ')}`,
    });
  return problems;
}

/**
 * A signal that passes on the base shows nothing of the work. Beside one that can fail it is a guard, and marked; a task that has no
 * other could be done by doing nothing, and is refused.
 */
export function findPlanSignalProblems(
  plan: Plan,
  outcomes: PlanBaseFacts['signalOutcomes'],
): { readonly problems: PlanProblem[]; readonly notes: PlanCheckNote[] } {
  const problems: PlanProblem[] = [];
  const notes: PlanCheckNote[] = [];
  for (const [index, { key, completion_signals: signals }] of plan.tasks.entries()) {
    const of = outcomes[index] ?? [];
    if (!of.includes('failed')) {
      const why = of.every((outcome) => outcome === 'passed')
        ? 'pass on the base already, so that nothing would have to be done'
        : 'could be seen to fail on the base, so that nobody knows what they would show';
      problems.push({
        path: ['tasks', index, 'completion_signals'],
        message: `${why.startsWith('pass') ? 'all of them' : 'none of them'} ${why}`,
      });
      continue;
    }
    for (const [place, signal] of signals.entries())
      if (of[place] === 'passed')
        notes.push({ key, message: `passes on the base already: ${describeSignal(signal).slice(0, 200)}` });
      else if (of[place] !== 'failed')
        notes.push({
          key,
          message: `could not be tried on the base (${of[place] ?? 'unknown'}): ${describeSignal(signal).slice(0, 200)}`,
        });
  }
  return { problems, notes };
}
