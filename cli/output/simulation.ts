import type { Comparison, Simulation } from '../../shared/cascade/simulate/compare.ts';
import type { Estimate } from '../../shared/cascade/simulate/statistics.ts';
import type { Colors } from '../io.ts';
import { renderTable } from './table.ts';

const range = (of: Estimate | null, digits: number, sign = ''): string =>
  of === null
    ? '-'
    : `${sign}${of.mean.toFixed(digits)} (${of.low.toFixed(digits)} to ${of.high.toFixed(digits)})`;

/** What each policy cost and brought, with intervals at 95 %, and how it compares with the oracle and with the top alone. */
export function renderSimulation(
  { comparisons, tasks, unknown }: Simulation,
  synthetic: boolean,
  width: number | undefined,
  pc: Colors,
): string {
  const lines = [
    `${tasks - unknown} of ${tasks} tasks${synthetic ? ', made up: synthetic data' : ''}; per task, with intervals at 95 %`,
  ];
  if (unknown > 0)
    lines.push(
      pc.yellow(
        `${unknown} left out: some policy's way leads over what was never tried, or has no known cost`,
      ),
    );
  lines.push(
    '',
    renderTable(
      [
        { title: 'POLICY' },
        { title: 'COST $', align: 'right' },
        { title: 'PASS RATE', align: 'right' },
        { title: 'SECONDS', align: 'right' },
        { title: 'ATTEMPTS', align: 'right' },
        { title: 'REGRET $', align: 'right' },
      ],
      comparisons.map((each) => [
        each.policy === 'clairvoyant' ? '(clairvoyant)' : each.policy,
        range(each.cost_usd, 4),
        range(each.pass_rate, 3),
        range(each.seconds, 0),
        each.attempts?.mean.toFixed(2) ?? '-',
        range(each.regret_usd, 4),
      ]),
      width,
      pc.dim,
    ),
  );
  const mean = (policy: Comparison['policy']): number | null =>
    comparisons.find((each) => each.policy === policy)?.cost_usd?.mean ?? null;
  const [oracle, direct] = [mean('oracle'), mean('direct')];
  for (const { policy, cost_usd } of comparisons) {
    if (policy === 'oracle' || policy === 'direct' || policy === 'clairvoyant' || !cost_usd) continue;
    const against = (name: string, other: number | null): string[] =>
      other ? [`${(100 * (cost_usd.mean / other - 1)).toFixed(1)} % against ${name}`] : [];
    const words = [...against('the oracle', oracle), ...against('the top alone', direct)];
    if (words.length > 0) lines.push(`${policy}: ${words.join(', ')}`);
  }
  return lines.join('\n');
}
