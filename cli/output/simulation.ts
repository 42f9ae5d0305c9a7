import type { BootstrapEstimate } from '../../shared/control/cascade/simulation/bootstrap.ts';
import type {
  PolicyComparison,
  SimulationResult,
} from '../../shared/control/cascade/simulation/policy-comparison.ts';
import type { TerminalColors } from '../io.ts';
import { renderTable, type TextTableCell, type TextTableColumn } from './table.ts';
import { displayWidth } from './text.ts';

const range = (of: BootstrapEstimate | null, digits: number, sign = ''): string =>
  of === null
    ? '-'
    : `${sign}${of.mean.toFixed(digits)} (${of.low.toFixed(digits)} to ${of.high.toFixed(digits)})`;

const COLUMNS: readonly TextTableColumn[] = [
  { title: 'POLICY' },
  { title: 'COST $', align: 'right' },
  { title: 'PASS RATE', align: 'right' },
  { title: 'SECONDS', align: 'right' },
  { title: 'ATTEMPTS', align: 'right' },
  { title: 'REGRET $', align: 'right' },
];
const policyLabel = (policy: PolicyComparison['policy']): string =>
  policy === 'clairvoyant' ? '(clairvoyant)' : policy;

const onOneLine = (each: PolicyComparison): TextTableCell[] => [
  policyLabel(each.policy),
  range(each.cost_usd, 4),
  range(each.pass_rate, 3),
  range(each.seconds, 0),
  each.attempts?.mean.toFixed(2) ?? '-',
  range(each.regret_usd, 4),
];

/** The cells of a policy on two lines, for a narrow terminal: the means, and the interval below each. */
function onTwoLines(each: PolicyComparison, dim: TerminalColors['dim']): TextTableCell[][] {
  const figures = [
    [each.cost_usd, 3],
    [each.pass_rate, 3],
    [each.seconds, 0],
    null,
    [each.regret_usd, 3],
  ] as const;
  const row = (of: (estimate: BootstrapEstimate, digits: number) => string, attempts: string): string[] =>
    figures.map((figure) => {
      if (!figure) return attempts;
      const [estimate, digits] = figure;
      return estimate ? of(estimate, digits) : '';
    });
  const means = row(({ mean }, digits) => mean.toFixed(digits), each.attempts?.mean.toFixed(2) ?? '');
  return [
    [policyLabel(each.policy), ...means.map((text) => text || '-')],
    [
      '',
      ...row(({ low, high }, digits) => `${low.toFixed(digits)}..${high.toFixed(digits)}`, '').map(
        (text) => ({ text, style: dim }),
      ),
    ],
  ];
}

/** Renders one row for each policy, or two where the terminal is narrow. */
function renderPolicies(
  comparisons: readonly PolicyComparison[],
  width: number | undefined,
  { dim }: TerminalColors,
): string {
  const rows = comparisons.map(onOneLine);
  const plain = renderTable(COLUMNS, rows, undefined);
  const fits = width === undefined || plain.split('\n').every((line) => displayWidth(line) <= width);
  return renderTable(COLUMNS, fits ? rows : comparisons.flatMap((each) => onTwoLines(each, dim)), width, dim);
}

/** Renders cost and pass rate of each policy with intervals at 95 %, and the comparison with the oracle and the top model alone. */
export function renderSimulation(
  { comparisons, tasks, unknown }: SimulationResult,
  synthetic: boolean,
  width: number | undefined,
  pc: TerminalColors,
): string {
  const lines = [
    `${tasks - unknown} of ${tasks} tasks${synthetic ? ', synthetic data' : ''}; per task, with intervals at 95 %`,
  ];
  if (unknown > 0)
    lines.push(
      pc.yellow(
        `${unknown} left out: a policy would need an attempt that was never made, or whose cost is unknown`,
      ),
    );
  lines.push('', renderPolicies(comparisons, width, pc));
  const mean = (policy: PolicyComparison['policy']): number | null =>
    comparisons.find((each) => each.policy === policy)?.cost_usd?.mean ?? null;
  const [oracle, direct] = [mean('oracle'), mean('direct')];
  for (const { policy, cost_usd } of comparisons) {
    if (policy === 'oracle' || policy === 'direct' || policy === 'clairvoyant' || !cost_usd) continue;
    const against = (name: string, other: number | null): string[] =>
      other ? [`${(100 * (cost_usd.mean / other - 1)).toFixed(1)} % against ${name}`] : [];
    const words = [...against('the oracle', oracle), ...against('the top model alone', direct)];
    if (words.length > 0) lines.push(`${policy}: ${words.join(', ')}`);
  }
  return lines.join('\n');
}
