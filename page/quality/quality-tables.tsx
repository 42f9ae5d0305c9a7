import type * as z from 'zod';
import type { BudgetForecast } from '../../shared/control/metrics/budget-forecast.ts';
import type { QualityCost } from '../../shared/control/metrics/cost-view.ts';
import type { QualityMetrics } from '../../shared/control/metrics/quality-schemas.ts';
import { formatCount, formatDollars, formatDuration, formatPercent } from '../../shared/lib/format.ts';
import { escapeToOneLine } from '../components/escape-text.ts';

const share = (value: number | null): string => (value === null ? 'no data' : formatPercent(value));
const money = (value: number | null): string => (value === null ? 'unknown' : formatDollars(value));

const Head = ({ names }: { readonly names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name, index) => (
        <th key={name} scope="col" class={index === 0 ? '' : 'number'}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
const Row = ({ cells }: { readonly cells: readonly (string | number)[] }) => (
  <tr>
    {cells.map((cell, index) =>
      index === 0 ? (
        <th key={index} scope="row">
          <bdi>{escapeToOneLine(String(cell), 120)}</bdi>
        </th>
      ) : (
        <td key={index} class="number">
          {cell}
        </td>
      ),
    )}
  </tr>
);

export function BudgetForecastSection({ forecast }: { readonly forecast: z.infer<typeof BudgetForecast> }) {
  const { budget_usd: budget, within_budget: within } = forecast;
  return (
    <section>
      <h2>Forecast</h2>
      <p>
        {money(forecast.current_spend_usd)} this month
        {forecast.cost_unknown > 0 && ` (${formatCount(forecast.cost_unknown, 'task')} of unknown cost)`}, and
        about {money(forecast.estimated_remaining_cost_usd)} for {formatCount(forecast.task_count, 'task')}{' '}
        not ended: {money(forecast.projected_total_cost_usd)} in all
        {budget === null ? ', with no budget set' : ` of a budget of ${formatDollars(budget)}`}.{' '}
        {within === false && <b>This exceeds the budget.</b>} Confidence: {forecast.confidence_level}.
      </p>
    </section>
  );
}

/** How often each gate ran, blocked and cost time, and how often reviewers overturned it. */
export function GateQualityTable({
  gates,
  days,
}: {
  readonly gates: z.infer<typeof QualityMetrics>['gate_stats'];
  readonly days: number;
}) {
  return (
    <section>
      <h2>Gates of {days} days</h2>
      <div class="scroll">
        <table>
          <Head
            names={[
              'Gate',
              'Runs',
              'Passed',
              'Blocked',
              'Flagged',
              'Time',
              'Blocks overturned in review',
              'Passed, then rejected',
            ]}
          />
          <tbody>
            {Object.entries(gates)
              .toSorted(([, a], [, b]) => b.seconds - a.seconds)
              .map(([name, gate]) => (
                <Row
                  key={name}
                  cells={[
                    name,
                    gate.total,
                    share(gate.pass_rate),
                    gate.blocked,
                    gate.flagged,
                    formatDuration(gate.seconds * 1_000),
                    gate.reviewed_blocks === 0
                      ? 'none reviewed'
                      : `${share(gate.false_block_rate)} of ${gate.reviewed_blocks}`,
                    gate.false_greens,
                  ]}
                />
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const KINDS = [
  ['per_role', 'Role'],
  ['per_model', 'Model'],
  ['per_tier', 'Tier'],
  ['per_repository', 'Repository'],
  ['per_outcome', 'Outcome of the attempt'],
] as const;

export function CostTables({ cost }: { readonly cost: z.infer<typeof QualityCost> }) {
  return (
    <section>
      <h2>Cost</h2>
      <p>
        {money(cost.tasks.cost_usd)} for {formatCount(cost.tasks.count, 'task')},{' '}
        {money(cost.tasks.usd_per_success)} per completed task; saved: {money(cost.saved_vs_direct_opus_usd)}.
      </p>
      {KINDS.map(([field, name]) => (
        <details key={field}>
          <summary>By {name.toLowerCase()}</summary>
          <div class="scroll">
            <table>
              <Head names={[name, 'Count', 'Passed', 'Cost', 'Cost per pass', 'Unknown cost']} />
              <tbody>
                {Object.entries(cost[field]).map(([key, each]) => (
                  <Row
                    key={key}
                    cells={[
                      key,
                      each.count,
                      each.success,
                      money(each.cost_usd),
                      money(each.usd_per_success),
                      each.cost_unknown,
                    ]}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
    </section>
  );
}
