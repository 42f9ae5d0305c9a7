import { type Command, Option } from 'commander';
import type * as z from 'zod';
import type { QualityView } from '../../shared/control/metrics/schemas.ts';
import { dollars, duration, percent } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { type Column, renderTable } from '../output/table.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { days, registerCost } from './quality-cost.ts';
import { registerFiles } from './quality-files.ts';

type Answer = z.infer<typeof QualityView>;

const UNKNOWN = '-';
const share = (ratio: number | null): string => (ratio === null ? UNKNOWN : percent(ratio));
const time = (seconds: number | null): string => (seconds === null ? UNKNOWN : duration(seconds * 1_000));
const right = (title: string): Column => ({ title, align: 'right' });

const table = (
  session: Session,
  first: string,
  titles: readonly string[],
  rows: readonly string[][],
): string =>
  rows.length === 0
    ? 'Nothing yet.'
    : renderTable(
        [{ title: first, shrinkTo: 12 }, ...titles.map(right)],
        rows,
        session.io.stdout.columns,
        session.out.dim,
      );

interface Times {
  readonly total_tasks: number;
  readonly success_rate: number | null;
  readonly p50_completion_seconds: number | null;
  readonly p90_completion_seconds: number | null;
}
const timesOf = (each: Times): string[] => [
  String(each.total_tasks),
  share(each.success_rate),
  time(each.p50_completion_seconds),
  time(each.p90_completion_seconds),
];

interface Model extends Times {
  readonly avg_tokens: number | null;
  readonly cost_usd: number | null;
  readonly avg_cost_usd: number | null;
  readonly cost_unknown: number;
}
const modelRows = (models: Readonly<Record<string, Model>>): string[][] =>
  Object.entries(models).map(([name, each]) => [
    name,
    ...timesOf(each),
    each.avg_tokens === null ? UNKNOWN : String(Math.round(each.avg_tokens)),
    dollars(each.avg_cost_usd),
    dollars(each.cost_usd),
    String(each.cost_unknown),
  ]);
const MODEL_TITLES = ['ATTEMPTS', 'ACCEPTED', 'P50', 'P90', 'TOKENS', 'USD EACH', 'USD', 'UNKNOWN'];

/** What models took that judge, where any was asked. */
function judgingLine({ judging, windows }: Pick<Answer, 'judging' | 'windows'>): string {
  const { attempts, cost_usd, gates_cost_usd, cost_unknown } = judging;
  const unknown = cost_unknown === 0 ? '' : `; of ${cost_unknown} it is not known`;
  return `Judging ${attempts} attempts took ${dollars(cost_usd)} in ${windows.models} days, ${dollars(gates_cost_usd)} of it by gates${unknown}`;
}

/** `assay quality` */
export function registerQuality(program: Command, io: Io): void {
  const quality = program.command('quality').description(SUMMARY.quality);
  const show = quality
    .command('show', { isDefault: true })
    .description('Tasks, roles and gates')
    .option(...JSON_OPTION);
  action(show, io, async (session) => {
    const answer = await session.client().quality({});
    if (session.json) session.printJson(answer);
    else {
      const { overall, windows } = answer;
      session.print(
        [
          `${session.out.bold(String(overall.total_tasks))} tasks in ${windows.completions} days: ${share(overall.success_rate)} came to their goal, p50 ${time(overall.p50_completion_seconds)}, p90 ${time(overall.p90_completion_seconds)}`,
          `Gates passed ${share(answer.guardrail_pass_rate)} of the time in ${windows.gates} days; of those asked, persons said no to ${share(answer.review_rejection_rate)}`,
          judgingLine(answer),
          '',
          table(
            session,
            'ROLE',
            ['TASKS', 'SUCCESS', 'P50', 'P90'],
            Object.entries(answer.per_role).map(([name, each]) => [name, ...timesOf(each)]),
          ),
        ].join('\n'),
      );
    }
    return EXIT.ok;
  });
  const gates = quality
    .command('gates')
    .description('What each gate costs and catches, and how often a person overruled it')
    .option(...JSON_OPTION);
  action(gates, io, async (session) => {
    const { gate_stats, windows } = await session.client().quality({});
    if (session.json) session.printJson({ gates: gate_stats, window_days: windows.gates });
    else
      session.print(
        table(
          session,
          'GATE',
          ['RUNS', 'PASSED', 'BLOCKED', 'FLAGGED', 'TIME', 'HELD', 'WRONGLY', 'MISSED'],
          Object.entries(gate_stats)
            .toSorted(([, a], [, b]) => b.seconds - a.seconds)
            .map(([name, each]) => [
              name,
              String(each.total),
              share(each.pass_rate),
              String(each.blocked),
              String(each.flagged),
              time(each.seconds),
              String(each.held),
              share(each.false_block_rate),
              String(each.false_greens),
            ]),
        ),
      );
    return EXIT.ok;
  });
  registerCost(quality, io);
  registerFiles(quality, io);
  const models = quality
    .command('models')
    .description('How each model fares, and what it costs')
    .option(...JSON_OPTION);
  action(models, io, async (session) => {
    const answer = await session.client().qualityModels({});
    if (session.json) session.printJson(answer);
    else session.print(table(session, 'MODEL', MODEL_TITLES, modelRows(answer.models)));
    return EXIT.ok;
  });
  const trend = quality
    .command('trend')
    .description('Tasks and cost by day or week')
    .option('--days <n>', 'how far back', days, 90)
    .addOption(new Option('--granularity <span>', 'what a row is').choices(['day', 'week']).default('day'))
    .option(...JSON_OPTION);
  action<[{ readonly days: number; readonly granularity: 'day' | 'week' }]>(
    trend,
    io,
    async (session, query) => {
      const answer = await session
        .client()
        .qualityTrend({ query: { days: query.days, granularity: query.granularity } });
      if (session.json) session.printJson(answer);
      else {
        session.print(
          table(
            session,
            query.granularity === 'week' ? 'WEEK OF' : 'DAY',
            ['TASKS', 'SUCCESS', 'QUALITY', 'USD', 'JUDGING', 'UNKNOWN'],
            answer.series.map((each) => [
              each.date,
              String(each.tasks_total),
              share(each.success_rate),
              each.avg_quality_score === null ? UNKNOWN : each.avg_quality_score.toFixed(1),
              dollars(each.cost_usd),
              dollars(each.judging_cost_usd),
              String(each.cost_unknown),
            ]),
          ),
        );
        session.print(`The quality score is ${answer.quality_trend}.`);
      }
      return EXIT.ok;
    },
  );
  examples(show, [
    ['quality', 'the last week at a glance'],
    ['quality show --json | jq .overall.success_rate', 'for a script'],
  ]);
  examples(gates, [['quality gates', 'what each gate costs and catches']]);
  examples(models, [['quality models --json', 'what each model costs for an accepted attempt']]);
  examples(trend, [['quality trend --days 30 --granularity week', 'the last weeks']]);
}
