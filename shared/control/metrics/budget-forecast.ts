import * as z from 'zod';
import { isTerminalStatus, type TaskStatus } from '../../contract/task/status.ts';
import type { DailyMetrics } from './daily-metrics.ts';
import { knownCostUsd, ratioOrNull, roundOrNull, sumDailyMetrics } from './quality-views.ts';

export const BudgetForecast = z
  .object({
    task_count: z.number().int().describe('Tasks that have not ended.'),
    current_spend_usd: z
      .number()
      .nullable()
      .describe('Cost this month (UTC) of ended tasks with a known cost; null: of none.'),
    cost_unknown: z.number().int().describe('Tasks that ended this month with an unknown cost.'),
    estimated_remaining_cost_usd: z
      .number()
      .nullable()
      .describe('Null: no cost of one of their roles is known.'),
    projected_total_cost_usd: z.number().nullable(),
    avg_estimated_cost_per_task_usd: z.number().nullable(),
    budget_usd: z.number().nullable().describe('Monthly budget of the deployment; null: none is set.'),
    within_budget: z
      .boolean()
      .nullable()
      .describe('Null: there is no budget or no estimate, or unknown costs may exceed the rest.'),
    confidence_level: z.enum(['high', 'medium', 'low']),
    per_role: z.array(
      z.object({ role: z.string(), task_count: z.number().int(), estimated_cost_usd: z.number().nullable() }),
    ),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'BudgetForecast' });

/** Ended tasks of known cost with which an estimate is worth something, and much. */
const MEDIUM = 3;
const HIGH = 10;

/**
 * What the tasks that have not ended will cost: for each, the mean cost of the ended tasks of its role in the days given; where there
 * is none, of all. projected = spent this month + estimated. The seed guesses by scope and price where it has no history; here that is null.
 */
export function budgetForecastView(
  days: ReadonlyMap<string, DailyMetrics>,
  roles: ReadonlyMap<string, Readonly<Partial<Record<TaskStatus, number>>>>,
  budget: number | null,
  now: Date,
): z.infer<typeof BudgetForecast> {
  const { tasks, roles: history } = sumDailyMetrics(days);
  const month = now.toISOString().slice(0, 7);
  const ended = sumDailyMetrics(new Map([...days].filter(([day]) => day.startsWith(month)))).tasks;
  const spent = knownCostUsd(ended.cost_usd, ended.count, ended.with_cost, 4);
  const unknown = ended.count - ended.with_cost;
  const mean = (role: string): number | null => {
    const own = history[role];
    return (
      (own && ratioOrNull(own.cost_usd, own.with_cost, 9)) ?? ratioOrNull(tasks.cost_usd, tasks.with_cost, 9)
    );
  };
  const perRole = [...roles]
    .map(([role, counts]) => {
      const live = Object.entries(counts) as [TaskStatus, number][];
      const count = live.reduce((sum, [status, number]) => sum + (isTerminalStatus(status) ? 0 : number), 0);
      const each = mean(role);
      return {
        role,
        task_count: count,
        estimated_cost_usd: each === null ? null : roundOrNull(each * count, 4),
      };
    })
    .filter(({ task_count }) => task_count > 0)
    .toSorted((a, b) => (a.role < b.role ? -1 : 1));
  const count = perRole.reduce((sum, { task_count }) => sum + task_count, 0);
  const remaining = perRole.reduce(
    (sum: number | null, { estimated_cost_usd: each }) => (sum === null || each === null ? null : sum + each),
    0,
  );
  const projected = remaining === null || spent === null ? null : spent + remaining;
  return {
    task_count: count,
    current_spend_usd: spent,
    cost_unknown: unknown,
    estimated_remaining_cost_usd: roundOrNull(remaining, 4),
    projected_total_cost_usd: roundOrNull(projected, 4),
    avg_estimated_cost_per_task_usd: remaining === null ? null : ratioOrNull(remaining, count),
    budget_usd: budget,
    within_budget: within(budget, projected, unknown),
    confidence_level: tasks.with_cost >= HIGH ? 'high' : tasks.with_cost >= MEDIUM ? 'medium' : 'low',
    per_role: perRole,
    generated_at: now.toISOString(),
  };
}

/** What is more than the budget already is so whatever else it took; what is not may be, by what nobody knows. */
function within(budget: number | null, projected: number | null, unknown: number): boolean | null {
  if (budget === null || projected === null) return null;
  if (projected > budget) return false;
  return unknown === 0 ? true : null;
}
