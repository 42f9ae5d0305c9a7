import { QUOTAS_AS_OF } from './aws-quotas.ts';
import {
  type CountedCalls,
  countCallsPerTask,
  DEFAULT_WORKLOAD_PROFILE,
  type QuotaDemand,
  type ScaleEstimate,
} from './scale-model.ts';

const rate = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
const usd = (value: number): string => `$${Math.round(value).toLocaleString('en')}`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const over = ({ share }: QuotaDemand): boolean => share > 1;

/** One page about one number of tasks a day. */
function section({ perDay, demands, usd: cost }: ScaleEstimate): string {
  const broken = demands.filter(over);
  const [first] = broken;
  return [
    `### ${perDay.toLocaleString('en')} tasks a day`,
    '',
    first
      ? `First limit: **${first.quota.name}**, ${rate(first.peak)} of ${first.quota.limit.toLocaleString('en')} ${first.quota.unit}. Raised by: ${first.quota.raised}.`
      : 'Within every quota as it is before anybody asks for more.',
    ...(broken.length > 1
      ? [
          '',
          `Over it, too: ${broken
            .slice(1)
            .map(({ quota }) => `${quota.name} (${quota.raised})`)
            .join('; ')}.`,
        ]
      : []),
    '',
    `Control plane ${usd(cost.control)} a day, boxes ${usd(cost.boxes)} a day; models, logs and metrics come on top.`,
    '',
    table(
      ['quota', 'average', 'peak', 'limit', 'share'],
      demands.map((demand) => [
        `[${demand.quota.name}](${demand.quota.source})`,
        rate(demand.average),
        rate(demand.peak),
        `${demand.quota.limit.toLocaleString('en')} ${demand.quota.unit}`,
        `${demand.share >= 0.001 ? (demand.share * 100).toFixed(1) : '< 0.1'} %${over(demand) ? ' **over**' : ''}`,
      ]),
    ),
  ].join('\n');
}

/** All of it: what was assumed, what was counted, and each number of tasks. */
export function renderScaleReport(counted: CountedCalls, scales: readonly ScaleEstimate[]): string {
  const snapshot = countCallsPerTask(counted, DEFAULT_WORKLOAD_PROFILE);
  const wanted = ['HTTP API', 'DynamoDB', 'Lambda', 'states', 'SQS', 'S3', 'ecs'];
  const counts = wanted.flatMap((service) =>
    Object.entries(snapshot[service] ?? {}).map(([operation, amount]) => [
      service,
      operation,
      (counted.task[service]?.[operation] ?? 0).toFixed(2),
      (counted.heartbeat[service]?.[operation] ?? 0).toFixed(2),
      amount.toFixed(2),
    ]),
  );
  const { containerSeconds, peak, lambdaSlowdown, heartbeatSeconds } = DEFAULT_WORKLOAD_PROFILE;
  return [
    `Quotas of us-east-1 as of ${QUOTAS_AS_OF}. Assumed: boxes of ${containerSeconds.agent} (agent) and ${containerSeconds.gates} s (gates), a heartbeat each ${heartbeatSeconds} s, functions ${lambdaSlowdown} times as slow as here, and a busiest moment of ${peak} times the average.`,
    ...scales.map(section),
    '### Counted on the embedded stack',
    table(
      [
        'service',
        'operation',
        'a delivered task',
        'a heartbeat',
        'together, with the heartbeats of the agent',
      ],
      counts,
    ),
  ].join('\n\n');
}
