import type { PlanView } from '../../shared/api/plan-schemas.ts';
import { sortDependenciesFirst } from '../../shared/contract/submission/dependency-graph.ts';
import { describeSignal } from '../../shared/contract/submission/signals.ts';
import { formatCount } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';
import { chooseStatusStyle } from './task-style.ts';
import { toOneLine } from './text.ts';

type PlannedTask = PlanView['tasks'][number];

const inDependencyOrder = (plan: PlanView): PlannedTask[] => {
  const byKey = new Map(plan.tasks.map((task) => [task.key, task]));
  return sortDependenciesFirst(new Map(plan.tasks.map(({ key, depends_on }) => [key, depends_on]))).flatMap(
    (key) => byKey.get(key) ?? [],
  );
};

/** Returns the length of the longest chain of dependencies of each task. */
function dependencyDepths(plan: PlanView): Map<string, number> {
  const depth = new Map<string, number>();
  for (const { key, depends_on } of inDependencyOrder(plan))
    depth.set(key, Math.max(0, ...depends_on.map((each) => (depth.get(each) ?? 0) + 1)));
  return depth;
}

function taskLines(task: PlannedTask, depth: number, plan: PlanView, pc: TerminalColors): string[] {
  const pad = '   '.repeat(depth);
  const arrow = depth === 0 ? '' : '└─ ';
  const status = task.status === null ? '' : `  ${chooseStatusStyle(pc, task.status)(task.status)}`;
  const detail = (text: string): string => `${pad}${depth === 0 ? '' : '   '}   ${text}`;
  return [
    `${pad}${arrow}${pc.bold(task.key)}  ${toOneLine(task.title)}${status}`,
    detail(
      pc.dim(
        toOneLine(
          `${task.role}, ${task.scope} scope, ${task.complexity} complexity${task.depends_on.length > 0 ? `; after ${task.depends_on.join(', ')}` : ''}`,
        ),
      ),
    ),
    ...(task.files.length + task.new_files.length > 0
      ? [detail(pc.dim(toOneLine([...task.files, ...task.new_files.map((path) => `+${path}`)].join(' '))))]
      : []),
    ...task.completion_signals.map((signal) =>
      detail(`${pc.cyan('check')} ${toOneLine(describeSignal(signal))}`),
    ),
    ...plan.notes
      .filter(({ key }) => key === task.key)
      .map(({ message }) => detail(`${pc.yellow('note')} ${toOneLine(message)}`)),
  ];
}

/** Renders the tasks as a tree: each below the dependency with the longest chain. */
export function renderPlanTree(plan: PlanView, pc: TerminalColors): string {
  const depth = dependencyDepths(plan);
  const { progress_ledger: progress, replacement_plan_id } = plan.coordination;
  const head = [
    `${pc.bold(`Plan ${plan.id}`)} is ${plan.state}: ${formatCount(plan.tasks.length, 'task')}, ${formatCount(plan.attempts, 'attempt')}`,
    ...(progress
      ? [
          `  ${pc.dim('progress')} ${progress.completed_count} done after ${formatCount(progress.round, 'round')}, ${formatCount(progress.stall_count, 'stall')}: ${progress.next_action}${replacement_plan_id === null ? '' : `; planned again as ${replacement_plan_id}`}`,
          ...progress.blocking_issues.map((issue) => `  ${pc.yellow('blocked by')} ${toOneLine(issue)}`),
        ]
      : []),
    ...plan.reasons.map((reason) => `  ${pc.yellow('because')} ${toOneLine(reason)}`),
  ];
  return [
    ...head,
    ...inDependencyOrder(plan).flatMap((task) => [
      '',
      ...taskLines(task, depth.get(task.key) ?? 0, plan, pc),
    ]),
  ].join('\n');
}

const quoted = (text: string): string =>
  `"${toOneLine(text).replace(/[&"<>]/g, (character) => `#${character.charCodeAt(0)};`)}"`;

/** Renders the tasks as a Mermaid graph. */
export function renderPlanMermaid(plan: PlanView): string {
  const nodes = plan.tasks.map(({ key, title, role }) => `  ${key}[${quoted(`${key} (${role}): ${title}`)}]`);
  const edges = plan.tasks.flatMap(({ key, depends_on }) => depends_on.map((each) => `  ${each} --> ${key}`));
  return ['graph TD', ...nodes, ...edges].join('\n');
}
