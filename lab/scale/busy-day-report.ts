import type { BusyDayResult } from './busy-day.ts';

const NAMES: Readonly<Record<string, string>> = {
  httpApi: 'requests of HTTP APIs',
  startExecution: 'StartExecution',
  runTask: 'RunTask',
  launches: 'launches',
  s3Writes: 'PUT of a prefix',
  s3Reads: 'GET of a prefix',
  itemWrites: 'write units of a partition',
  itemReads: 'reads of a partition',
};
/** Which task it is says nothing. */
const shown = (key: string): string => key.replace(/#T\d+/, '#…');
const round = (value: number): string => Math.round(value).toLocaleString('en');

/** Which limit was met first; null: none. */
export const findFirstQuotaHit = ({ quotaHits }: BusyDayResult): BusyDayResult['quotaHits'][number] | null =>
  quotaHits
    .filter(({ firstAt }) => firstAt !== null)
    .toSorted((a, b) => (a.firstAt ?? 0) - (b.firstAt ?? 0))[0] ?? null;

/** What came of one of them, in words and a table. */
export function renderBusyDayReport(day: BusyDayResult): string {
  const first = findFirstQuotaHit(day);
  const waited = day.taskSeconds && day.taskSeconds.p50 - day.taskSeconds.work;
  const fullest = day.quotaHits.toSorted((a, b) => b.most / b.limit - a.most / a.limit);
  return [
    `### ${round(day.perDay)} tasks a day, ${round(day.vcpus)} vCPUs on demand and on Spot each`,
    '',
    `${round(day.tasks)} tasks came within ${day.window} s, as at the busiest moment of such a day: ${round(day.done)} were delivered, ${round(day.failed)} failed, ${round(day.tasks - day.done - day.failed)} were not at their end three hours later. Promises broken: ${day.broken.length}. Launch messages given up: ${day.deadLetters}.`,
    '',
    day.taskSeconds === null
      ? 'None came to its end.'
      : `Half of them took ${round(day.taskSeconds.p50)} s at most, 99 % ${round(day.taskSeconds.p99)} s; the agent works for ${day.taskSeconds.work} s of that, so that half waited for ${round(waited ?? 0)} s at most.`,
    '',
    first
      ? `First limit: **${NAMES[first.name]}**, ${round(first.firstAt ?? 0)} s after the first task; ${round(first.refused)} calls were refused.`
      : 'No call was refused by a limit.',
    '',
    '| limit | most in one second | of | refused | fullest |',
    '| --- | --- | --- | --- | --- |',
    ...fullest.map(
      ({ name, most, limit, refused, key, next }) =>
        `| ${NAMES[name]} | ${round(most)} | ${round(limit)} | ${round(refused)} | ${[shown(key), ...next.map((each) => `${shown(each.key)} ${round(each.most)}`)].filter(Boolean).join(', ') || '–'} |`,
    ),
    `| Lambda executions at a time | ${round(day.lambdas.most)} | 1,000 | ${round(day.lambdas.refused)} | – |`,
  ].join('\n');
}
