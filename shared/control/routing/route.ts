import { isTier, type Tier } from '../../contract/agents/tiers.ts';
import type { RoleInForce } from '../../contract/roles/in-force.ts';
import type { Effort, SubmitTask } from '../../contract/submission/schema.ts';
import { firstOf } from '../../lib/cut.ts';
import { withoutRepository } from '../roles/defaults.ts';
import { ROUTING_TABLE, type Routed, type RoutingRule } from './table.ts';

/** Which tier a task is worth, at what effort, and why. */
export interface Route {
  /** The row of the table that matched; `role`: none did, and the role's own settings count. `task`: the task names its model itself. */
  readonly rule: RoutingRule | 'role' | 'task';
  /** Null: the task names a model that is no tier. */
  readonly tier: Tier | null;
  readonly effort: Effort;
  readonly reason: string;
}

type Request = Routed &
  Partial<Pick<SubmitTask, 'model' | 'effort'>> & { readonly base_role?: RoleInForce | null };

const whose = ({ from, why_unread }: RoleInForce): string =>
  from === 'repository'
    ? ' by the repository'
    : from === 'unread'
      ? `, as it is built in, since the base could not be read (${why_unread})`
      : '';

const words = (when: Partial<Routed>): string =>
  Object.entries(when)
    .map(([field, value]) => `${field} ${value}`)
    .join(' and ');

/** A pure function of the task: the table's first row that matches, and what the task says itself wins over it. */
export function route(task: Request): Route {
  const role = task.base_role ?? withoutRepository(task.role);
  const row = ROUTING_TABLE.find(({ when }) =>
    Object.entries(when).every(([field, value]) => task[field as keyof Routed] === value),
  );
  const { tier, effort } = row ?? { tier: role.model, effort: role.effort };
  const planned: Route = {
    rule: row?.rule ?? 'role',
    tier,
    effort,
    reason: `${row ? words(row.when) : `complexity ${task.complexity}, scope ${task.scope}: what role ${task.role} is given${whose(role)}`} (${tier} at ${effort} effort${row ? `: ${row.why}` : ''})`,
  };
  return task.model === undefined && task.effort === undefined ? planned : overridden(task, planned);
}

function overridden({ model, effort }: Request, planned: Route): Route {
  const said = [
    ...(model === undefined ? [] : [`model ${firstOf(model, 100)}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
  ].join(' and ');
  return {
    rule: model === undefined ? planned.rule : 'task',
    tier: model === undefined ? planned.tier : isTier(model) ? model : null,
    effort: effort ?? planned.effort,
    reason: `the task says ${said}${model === undefined || effort === undefined ? `; else ${planned.reason}` : ''}`,
  };
}
