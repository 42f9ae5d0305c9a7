import { type Command, InvalidArgumentError } from 'commander';
import type * as z from 'zod';
import type { QualityCost } from '../../shared/control/metrics/cost.ts';
import { dollars } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import type { Session } from '../session.ts';

/** Days back that a figure can be had for. */
export const days = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 365)
    throw new InvalidArgumentError('is not a number of days from 1 to 365');
  return value;
};

type Cost = z.infer<typeof QualityCost>;
const KINDS = ['per_day', 'per_role', 'per_model', 'per_tier', 'per_repository', 'per_outcome'] as const;

const named = (cost: Cost, kind: (typeof KINDS)[number]): [string, Cost['tasks']][] =>
  kind === 'per_day' ? cost.per_day.map((each) => [each.date, each]) : Object.entries(cost[kind]);

function costText(cost: Cost, session: Session): string {
  const lines = [
    `${dollars(cost.tasks.cost_usd)} in ${cost.window_days} days for ${cost.tasks.count} tasks, ${dollars(cost.tasks.usd_per_success)} for each that came to its goal; ${cost.tasks.cost_unknown} of unknown cost`,
    `Saved against going straight to the top model: ${dollars(cost.saved_vs_direct_opus_usd)}`,
  ];
  for (const kind of KINDS) {
    const rows = named(cost, kind).map(([name, each]) => [
      name,
      String(each.count),
      String(each.success),
      dollars(each.cost_usd),
      dollars(each.usd_per_success),
      String(each.cost_unknown),
    ]);
    if (rows.length === 0) continue;
    const titles = ['COUNT', 'ACCEPTED', 'USD', 'USD EACH', 'UNKNOWN'];
    const columns = [
      { title: kind.replace('per_', '').toUpperCase(), shrinkTo: 12 },
      ...titles.map((title) => ({ title, align: 'right' as const })),
    ];
    lines.push('', renderTable(columns, rows, session.io.stdout.columns, session.out.dim));
  }
  return lines.join('\n');
}

/** `assay quality cost` and `assay quality forecast` */
export function registerCost(quality: Command, io: Io): void {
  const cost = quality
    .command('cost')
    .description('What work costs, by day, role, model, tier, repository and result')
    .option('--days <n>', 'how far back', days, 30)
    .option(...JSON_OPTION);
  action<[{ readonly days: number }]>(cost, io, async (session, query) => {
    const answer = await session.client().qualityCost({ query: { days: query.days } });
    if (session.json) session.printJson(answer);
    else session.print(costText(answer, session));
    return EXIT.ok;
  });
  const forecast = quality
    .command('forecast')
    .description('What the tasks that have not ended will cost, against the budget of the month')
    .option(...JSON_OPTION);
  action(forecast, io, async (session) => {
    const answer = await session.client().budgetForecast({});
    if (session.json) session.printJson(answer);
    else {
      const budget =
        answer.budget_usd === null ? 'no budget is set' : `the budget is ${dollars(answer.budget_usd)}`;
      session.print(
        `${dollars(answer.current_spend_usd)} this month${answer.cost_unknown === 0 ? '' : ` (${answer.cost_unknown} tasks of unknown cost)`}, and about ${dollars(answer.estimated_remaining_cost_usd)} for ${answer.task_count} tasks that have not ended: ${dollars(answer.projected_total_cost_usd)}; ${budget}${answer.within_budget === false ? ', which that exceeds' : ''} (confidence ${answer.confidence_level})`,
      );
    }
    return EXIT.ok;
  });
  examples(cost, [
    ['quality cost', 'the last month, by whatever it can be told apart by'],
    ['quality cost --days 7 --json | jq .per_repository', 'who pays for what'],
  ]);
  examples(forecast, [['quality forecast', 'will the money do?']]);
}
