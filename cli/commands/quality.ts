import type * as z from 'zod';
import type { BudgetForecast } from '../../shared/control/metrics/budget-forecast.ts';
import type { QualityCost } from '../../shared/control/metrics/cost-view.ts';
import type { QualityAuthors, QualityMetrics } from '../../shared/control/metrics/quality-schemas.ts';
import { formatDollars, formatDuration, formatPercent } from '../../shared/lib/format.ts';
import type { TextTableColumn } from '../output/table.ts';
import { createIntegerParser, defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { qualityFilesCommand } from './quality-files.ts';

const UNKNOWN = '-';
const ratio = (value: number | null): string => (value === null ? UNKNOWN : formatPercent(value));
const seconds = (value: number | null): string => (value === null ? UNKNOWN : formatDuration(value * 1_000));
const rightColumn = (title: string): TextTableColumn => ({ title, align: 'right' });
const days = (initial: number) =>
  defineOption('--days <n>', 'number of days, 1 to 365', {
    parse: createIntegerParser(1, 365),
    default: initial,
  });

const table = (
  session: ServerCommandSession,
  first: string,
  titles: readonly string[],
  rows: readonly string[][],
): string =>
  rows.length === 0
    ? 'Nothing yet.'
    : session.table([{ title: first, shrinkTo: 12 }, ...titles.map(rightColumn)], rows);

interface Completions {
  readonly total_tasks: number;
  readonly success_rate: number | null;
  readonly p50_completion_seconds: number | null;
  readonly p90_completion_seconds: number | null;
}
const completionCells = (each: Completions): string[] => [
  String(each.total_tasks),
  ratio(each.success_rate),
  seconds(each.p50_completion_seconds),
  seconds(each.p90_completion_seconds),
];

interface ModelQuality extends Completions {
  readonly avg_tokens: number | null;
  readonly cost_usd: number | null;
  readonly avg_cost_usd: number | null;
  readonly cost_unknown: number;
}
const MODEL_TITLES = ['ATTEMPTS', 'ACCEPTED', 'P50', 'P90', 'TOKENS', 'USD EACH', 'USD', 'UNKNOWN'];
const modelRows = (models: Readonly<Record<string, ModelQuality>>): string[][] =>
  Object.entries(models).map(([name, each]) => [
    name,
    ...completionCells(each),
    each.avg_tokens === null ? UNKNOWN : String(Math.round(each.avg_tokens)),
    formatDollars(each.avg_cost_usd),
    formatDollars(each.cost_usd),
    String(each.cost_unknown),
  ]);

type Quality = z.infer<typeof QualityMetrics>;

function judgingLine({ judging, windows }: Quality): string {
  const { attempts, cost_usd, gates_cost_usd, cost_unknown } = judging;
  const unknown = cost_unknown === 0 ? '' : `; the cost of ${cost_unknown} is unknown`;
  return `Judging ${attempts} attempts cost ${formatDollars(cost_usd)} in ${windows.models} days, ${formatDollars(gates_cost_usd)} of it in gates${unknown}`;
}

const renderQuality = (answer: Quality, session: ServerCommandSession): string => {
  const { overall, windows, per_role } = answer;
  return [
    `${session.out.bold(String(overall.total_tasks))} tasks in ${windows.completions} days: ${ratio(overall.success_rate)} succeeded, p50 ${seconds(overall.p50_completion_seconds)}, p90 ${seconds(overall.p90_completion_seconds)}`,
    `Gates passed ${ratio(answer.guardrail_pass_rate)} of the time in ${windows.gates} days; reviewers rejected ${ratio(answer.review_rejection_rate)} of the reviewed work`,
    judgingLine(answer),
    '',
    table(
      session,
      'ROLE',
      ['TASKS', 'SUCCESS', 'P50', 'P90'],
      Object.entries(per_role).map(([name, each]) => [name, ...completionCells(each)]),
    ),
  ].join('\n');
};

const renderGates = (gates: Quality['gate_stats'], session: ServerCommandSession): string =>
  table(
    session,
    'GATE',
    ['RUNS', 'PASSED', 'BLOCKED', 'FLAGGED', 'TIME', 'HELD', 'WRONGLY', 'MISSED'],
    Object.entries(gates)
      .toSorted(([, a], [, b]) => b.seconds - a.seconds)
      .map(([name, each]) => [
        name,
        String(each.total),
        ratio(each.pass_rate),
        String(each.blocked),
        String(each.flagged),
        seconds(each.seconds),
        String(each.reviewed_blocks),
        ratio(each.false_block_rate),
        String(each.false_greens),
      ]),
  );

const AUTHOR_TITLES = ['VERIFIED', 'PASSED', 'USD', 'USD EACH', 'MERGED', 'REVERTED'];
const authorRows = (authors: z.infer<typeof QualityAuthors>['authors']): string[][] =>
  Object.entries(authors).map(([name, each]) => [
    name,
    String(each.verified),
    ratio(each.pass_rate),
    formatDollars(each.cost_usd),
    formatDollars(each.usd_per_pass),
    String(each.merged),
    each.reverted === 0 ? '0' : `${each.reverted} (${ratio(each.revert_rate)})`,
  ]);

type Cost = z.infer<typeof QualityCost>;
const COST_KEYS = ['per_day', 'per_role', 'per_model', 'per_tier', 'per_repository', 'per_outcome'] as const;

const costEntries = (cost: Cost, key: (typeof COST_KEYS)[number]): [string, Cost['tasks']][] =>
  key === 'per_day' ? cost.per_day.map((each) => [each.date, each]) : Object.entries(cost[key]);

function renderCost(cost: Cost, session: ServerCommandSession): string {
  const lines = [
    `${formatDollars(cost.tasks.cost_usd)} in ${cost.window_days} days for ${cost.tasks.count} tasks, ${formatDollars(cost.tasks.usd_per_success)} for each successful one; ${cost.tasks.cost_unknown} of unknown cost`,
    `Saved compared with the top model alone: ${formatDollars(cost.saved_vs_direct_opus_usd)}`,
  ];
  for (const key of COST_KEYS) {
    const rows = costEntries(cost, key).map(([name, each]) => [
      name,
      String(each.count),
      String(each.success),
      formatDollars(each.cost_usd),
      formatDollars(each.usd_per_success),
      String(each.cost_unknown),
    ]);
    if (rows.length === 0) continue;
    const titles = ['COUNT', 'ACCEPTED', 'USD', 'USD EACH', 'UNKNOWN'];
    lines.push('', table(session, key.replace('per_', '').toUpperCase(), titles, rows));
  }
  return lines.join('\n');
}

function renderForecast(forecast: z.infer<typeof BudgetForecast>): string {
  const { budget_usd, cost_unknown, task_count, within_budget, confidence_level } = forecast;
  const unknown = cost_unknown === 0 ? '' : ` (${cost_unknown} tasks of unknown cost)`;
  const budget = budget_usd === null ? 'no budget is set' : `the budget is ${formatDollars(budget_usd)}`;
  return `${formatDollars(forecast.current_spend_usd)} this month${unknown}, and about ${formatDollars(forecast.estimated_remaining_cost_usd)} for ${task_count} tasks that have not ended: ${formatDollars(forecast.projected_total_cost_usd)}; ${budget}${within_budget === false ? ', which that exceeds' : ''} (confidence ${confidence_level})`;
}

/** `quality`: success, cost and findings over time. */
export const qualityCommands = [
  defineRouteCommand({
    name: 'quality show',
    route: 'quality',
    description: 'Show success rates and times of tasks and roles, and how often gates passed',
    isDefault: true,
    request: () => ({}),
    view: renderQuality,
    json: '`--json` prints a `Quality`. A rate of nothing is null.',
    examples: [
      ['quality', 'the last week'],
      ['quality show --json | jq .overall.success_rate', 'for a script'],
    ],
  }),
  defineRouteCommand({
    name: 'quality gates',
    route: 'quality',
    description: 'Show the time and the findings of each gate, and how often reviewers overruled it',
    request: () => ({}),
    result: ({ gate_stats, windows }) => ({ gates: gate_stats, window_days: windows.gates }),
    view: ({ gates }, session) => renderGates(gates, session),
    json: '`--json` prints `{"gates": {name: {…}}, "window_days": number}`, as `gate_stats` of `Quality`.',
    examples: [['quality gates', 'what each gate costs and catches']],
  }),
  defineRouteCommand({
    name: 'quality authors',
    route: 'qualityAuthors',
    description: 'Show whose work passes, what verifying it costs, and how often it is reverted',
    options: { days: days(30) },
    request: (query) => ({ query }),
    view: ({ authors }, session) => table(session, 'AUTHOR', AUTHOR_TITLES, authorRows(authors)),
    json: '`--json` prints a `QualityAuthors`. Bots have their logins; `people` are all others, and `assay` is the work of its own tasks.',
    examples: [
      ['quality authors', 'which agent opens pull requests that pass?'],
      ['quality authors --days 90 --json | jq .authors', 'for a script'],
    ],
  }),
  defineRouteCommand({
    name: 'quality cost',
    route: 'qualityCost',
    description: 'Show cost by day, role, model, tier, repository and outcome',
    options: { days: days(30) },
    request: (query) => ({ query }),
    view: renderCost,
    json: '`--json` prints a `QualityCost`. An unknown cost is counted, not summed.',
    examples: [
      ['quality cost', 'the last 30 days'],
      ['quality cost --days 7 --json | jq .per_repository', 'by repository'],
    ],
  }),
  defineRouteCommand({
    name: 'quality forecast',
    route: 'budgetForecast',
    description: 'Estimate the cost of the tasks that have not ended, against the budget of the month',
    request: () => ({}),
    view: renderForecast,
    json: '`--json` prints a `BudgetForecast`. What is unknown is null.',
    examples: [['quality forecast', 'is the budget enough?']],
  }),
  qualityFilesCommand,
  defineRouteCommand({
    name: 'quality models',
    route: 'qualityModels',
    description: 'Show success rate, time and cost of each model',
    request: () => ({}),
    view: ({ models }, session) => table(session, 'MODEL', MODEL_TITLES, modelRows(models)),
    examples: [['quality models --json', 'the cost of an accepted attempt of each model']],
  }),
  defineRouteCommand({
    name: 'quality trend',
    route: 'qualityTrend',
    description: 'Show tasks and cost by day or week',
    options: {
      days: days(90),
      granularity: defineOption('--granularity <span>', 'span of a row', {
        choices: ['day', 'week'],
        default: 'day',
      }),
    },
    request: (query) => ({ query }),
    view: ({ series, quality_trend }, session, { granularity }) =>
      [
        table(
          session,
          granularity === 'week' ? 'WEEK OF' : 'DAY',
          ['TASKS', 'SUCCESS', 'QUALITY', 'USD', 'JUDGING', 'UNKNOWN'],
          series.map((each) => [
            each.date,
            String(each.tasks_total),
            ratio(each.success_rate),
            each.avg_quality_score === null ? UNKNOWN : each.avg_quality_score.toFixed(1),
            formatDollars(each.cost_usd),
            formatDollars(each.judging_cost_usd),
            String(each.cost_unknown),
          ]),
        ),
        `The quality score is ${quality_trend}.`,
      ].join('\n'),
    examples: [['quality trend --days 30 --granularity week', 'the last weeks']],
  }),
];
