import type { ReasoningEffortLevel } from '../../contract/agents/effort.ts';
import { isTier, type Tier } from '../../contract/agents/tiers.ts';
import type { ResolvedRole } from '../../contract/roles/resolved-role.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import { truncateText } from '../../lib/truncate.ts';
import { resolveBuiltinRole } from '../roles/defaults.ts';

/** What routing looks at. */
type RoutingFields = Pick<TaskSubmission, 'role' | 'scope' | 'complexity'>;

export const ROUTING_RULE_NAMES = [
  'manager',
  'security',
  'architect',
  'large_and_complex',
  'medium',
  'low',
] as const;
type RoutingRuleName = (typeof ROUTING_RULE_NAMES)[number];

interface RoutingRow {
  readonly rule: RoutingRuleName;
  readonly when: Partial<RoutingFields>;
  readonly tier: Tier;
  readonly effort: ReasoningEffortLevel;
  readonly why: string;
}

/**
 * Which tier a task is worth, and at what effort. The first row of which all fields are the task's counts. What none matches
 * (complex work of less than large scope) goes by its role.
 */
export const ROUTING_TABLE: readonly RoutingRow[] = [
  {
    rule: 'manager',
    when: { role: 'manager' },
    tier: 'opus',
    effort: 'max',
    why: 'planning needs deep reasoning',
  },
  {
    rule: 'security',
    when: { role: 'security' },
    tier: 'opus',
    effort: 'max',
    why: 'a security review must miss nothing',
  },
  {
    rule: 'architect',
    when: { role: 'architect' },
    tier: 'opus',
    effort: 'max',
    why: 'everything else is built on it',
  },
  {
    rule: 'large_and_complex',
    when: { scope: 'large', complexity: 'high' },
    tier: 'opus',
    effort: 'high',
    why: 'much that hangs together',
  },
  { rule: 'medium', when: { complexity: 'medium' }, tier: 'sonnet', effort: 'high', why: 'ordinary work' },
  { rule: 'low', when: { complexity: 'low' }, tier: 'sonnet', effort: 'normal', why: 'a quick fix' },
];

/** Which tier a task is worth, at what effort, and why. */
export interface TaskRoute {
  /** The row of the table that matched; `role`: none did, and the role's own settings count. `task`: the task names its model itself. */
  readonly rule: RoutingRuleName | 'role' | 'task';
  /** Null: the task names a model that is no tier. */
  readonly tier: Tier | null;
  readonly effort: ReasoningEffortLevel;
  readonly reason: string;
}

type RoutableTask = RoutingFields &
  Partial<Pick<TaskSubmission, 'model' | 'effort'>> & { readonly resolved_role?: ResolvedRole | null };

const describeRoleSource = ({ source: from, unread_reason }: ResolvedRole): string =>
  from === 'repository'
    ? ' by the repository'
    : from === 'unread'
      ? `, as it is built in, since the base could not be read (${unread_reason})`
      : '';

const describeConditions = (when: Partial<RoutingFields>): string =>
  Object.entries(when)
    .map(([field, value]) => `${field} ${value}`)
    .join(' and ');

/** A pure function of the task: the table's first row that matches, and what the task says itself wins over it. */
export function routeTask(task: RoutableTask): TaskRoute {
  const role = task.resolved_role ?? resolveBuiltinRole(task.role);
  const row = ROUTING_TABLE.find(({ when }) =>
    Object.entries(when).every(([field, value]) => task[field as keyof RoutingFields] === value),
  );
  const { tier, effort } = row ?? { tier: role.model, effort: role.effort };
  const planned: TaskRoute = {
    rule: row?.rule ?? 'role',
    tier,
    effort,
    reason: `${row ? describeConditions(row.when) : `complexity ${task.complexity}, scope ${task.scope}: what role ${task.role} is given${describeRoleSource(role)}`} (${tier} at ${effort} effort${row ? `: ${row.why}` : ''})`,
  };
  return task.model === undefined && task.effort === undefined ? planned : applyTaskOverrides(task, planned);
}

function applyTaskOverrides({ model, effort }: RoutableTask, planned: TaskRoute): TaskRoute {
  const said = [
    ...(model === undefined ? [] : [`model ${truncateText(model, 100)}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
  ].join(' and ');
  return {
    rule: model === undefined ? planned.rule : 'task',
    tier: model === undefined ? planned.tier : isTier(model) ? model : null,
    effort: effort ?? planned.effort,
    reason: `the task says ${said}${model === undefined || effort === undefined ? `; else ${planned.reason}` : ''}`,
  };
}
