import type { CascadeView } from '../../shared/api/cascade-schemas.ts';
import { TIERS } from '../../shared/contract/agents/tiers.ts';
import { TaskComplexity } from '../../shared/contract/submission/schema.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { REQUIRED_REASON_OPTION } from '../shared-options.ts';
import { simulationCommands } from './cascade-simulate.ts';

const ratio = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
const dollars = (value: number | null): string => (value === null ? 'unknown' : `$${value.toFixed(4)}`);

/** The estimates of the cascade as a table, and below it the history of operator overrides. */
function renderCascade(
  { policy, beliefs, history, cooldowns: cooling = [] }: CascadeView,
  session: ServerCommandSession,
): string {
  const pc = session.out;
  const lines = [`policy ${pc.bold(policy.policy)}`];
  for (const { provider, until, reason: because, consecutive_failures: times } of cooling)
    lines.push(
      `cooldown of provider ${provider} until ${until}: ${because}, ${formatCount(times, 'time')} in a row`,
    );
  if (beliefs.length === 0) lines.push('', 'Nothing is learned yet: no attempt has ended with a verdict.');
  else
    lines.push(
      '',
      session.table(
        [
          { title: 'ROLE', shrinkTo: 8 },
          { title: 'COMPLEXITY' },
          { title: 'TIER' },
          { title: 'MODEL', shrinkTo: 10, optional: true },
          { title: 'SEEN', align: 'right' },
          { title: 'PASS', align: 'right' },
          { title: '90 %', align: 'right' },
          { title: 'COST', align: 'right' },
          { title: 'PAYS >', align: 'right' },
          { title: 'PIN' },
        ],
        beliefs.map((each) => [
          each.role,
          each.complexity,
          each.tier,
          each.model,
          `${each.observations}${each.basis === 'role' ? '*' : ''}`,
          ratio(each.pass_rate),
          `${ratio(each.pass_rate_90.low)} to ${ratio(each.pass_rate_90.high)}`,
          dollars(each.cost_usd),
          ratio(each.break_even_pass_rate),
          each.pinned ? 'pinned' : '',
        ]),
      ),
    );
  if (beliefs.some(({ basis: from }) => from === 'role'))
    lines.push('* estimated from all complexities of the role: this one has too few observations');
  for (const { role, action, complexity, tier, by, reason, at } of history)
    lines.push(
      `${pc.dim(at)} ${action} ${[role, complexity, tier].filter(Boolean).join(' ')} by ${toOneLine(by)}: ${toOneLine(reason)}`,
    );
  return lines.join('\n');
}

const ROLE = defineArgument('<role>', 'role of the tasks');

/** `cascade`: what the cascade has learned of the models, and operator overrides of it. */
export const cascadeCommands = [
  defineRouteCommand({
    name: 'cascade show',
    route: 'cascade',
    description: 'Show the estimated pass rate and cost of each model, and the number of observations',
    arguments: { role: defineArgument('[role]', 'only of this role') },
    request: ({ role }) => ({ query: { role } }),
    view: renderCascade,
    examples: [
      ['cascade show', 'pass rates, costs, and from which pass rate each tier pays'],
      [
        "cascade show backend --json | jq '.beliefs[] | select(.observations < 5)'",
        'estimates from few observations',
      ],
    ],
  }),
  defineRouteCommand({
    name: 'cascade pin',
    route: 'pinTier',
    description: 'Make one tier the first to try, whatever is learned',
    arguments: {
      role: ROLE,
      tier: defineArgument('<tier>', 'tier; none removes the pin', [...TIERS, 'none']),
    },
    options: {
      reason: REQUIRED_REASON_OPTION,
      complexity: defineOption('--complexity <complexity>', 'only for tasks of this complexity', {
        choices: [...TaskComplexity.options, 'any'],
        default: 'any',
      }),
    },
    request: ({ role, tier, complexity, reason }) => ({
      role,
      body: { complexity, tier: tier === 'none' ? null : tier, reason },
    }),
    view: renderCascade,
    examples: [
      ['cascade pin backend sonnet --reason "haiku breaks our macros"', 'for all tasks of the role'],
      ['cascade pin backend none --reason "the new haiku does not"', 'removes the pin'],
    ],
  }),
  defineRouteCommand({
    name: 'cascade reset',
    route: 'resetBeliefs',
    description: 'Forget what was learned of a role: earlier outcomes no longer count',
    arguments: { role: ROLE },
    options: {
      reason: REQUIRED_REASON_OPTION,
      tier: defineOption('--tier <tier>', 'only of this tier', { choices: TIERS }),
    },
    request: ({ role, tier, reason }) => ({ role, body: { tier: tier ?? null, reason } }),
    view: renderCascade,
    examples: [['cascade reset backend --tier haiku --reason "the role has a new prompt"', 'start again']],
  }),
  ...simulationCommands,
];
