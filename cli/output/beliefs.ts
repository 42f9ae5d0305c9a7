import type { CascadeView } from '../../shared/api/cascade-schemas.ts';
import type { Colors } from '../io.ts';
import { renderTable } from './table.ts';
import { oneLine } from './text.ts';

const share = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
const dollars = (value: number | null): string => (value === null ? 'unknown' : `$${value.toFixed(4)}`);

/** What is believed, as a table, and under it what people have said on it. */
export function renderBeliefs(
  { policy, beliefs, history, cooling = [] }: CascadeView,
  width: number | undefined,
  pc: Colors,
): string {
  const lines = [`policy ${pc.bold(policy.policy)}`];
  for (const { provider, until, because, times } of cooling)
    lines.push(`nothing is begun with ${provider} until ${until}: ${because}, ${times} in a row`);
  if (beliefs.length === 0) lines.push('', 'Nothing is learned yet: no attempt has ended with a verdict.');
  else
    lines.push(
      '',
      renderTable(
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
          `${each.observations}${each.from === 'role' ? '*' : ''}`,
          share(each.pass_rate),
          `${share(each.pass_rate_90.low)} to ${share(each.pass_rate_90.high)}`,
          dollars(each.cost_usd),
          share(each.break_even),
          each.pinned ? 'pinned' : '',
        ]),
        width,
        pc.dim,
      ),
    );
  if (beliefs.some(({ from }) => from === 'role'))
    lines.push('* of all complexities of the role: of this one too little is known');
  for (const { role, action, complexity, tier, by, reason, at } of history)
    lines.push(
      `${pc.dim(at)} ${action} ${[role, complexity, tier].filter(Boolean).join(' ')} by ${oneLine(by)}: ${oneLine(reason)}`,
    );
  return lines.join('\n');
}
