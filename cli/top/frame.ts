import type * as z from 'zod';
import type { StatusView, TaskSummary } from '../../shared/api/schemas.ts';
import { STATUSES } from '../../shared/contract/task/status.ts';
import type { QualityTrend } from '../../shared/control/metrics/schemas.ts';
import { age, count, dollars, percent } from '../../shared/lib/format.ts';
import type { Colors } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { noteOf, statusStyle } from '../output/task-style.ts';
import { truncate } from '../output/text.ts';

/** What the dashboard shows, as it was last read. */
export interface Seen {
  readonly status: z.infer<typeof StatusView>;
  readonly tasks: readonly TaskSummary[];
  readonly trend: z.infer<typeof QualityTrend>;
}

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly colors: Colors;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Milliseconds that a toast stays: the seed's ten seconds. */
export const TOAST_MS = 10_000;

/** When the threshold has tripped: now, where it had not before; else as before. Null: it is not, or was when we came. */
export const trippedAt = (
  before: boolean | null,
  exceeds: boolean,
  at: number | null,
  now: number,
): number | null => {
  if (!exceeds) return null;
  return before === false ? now : at;
};

type Day = Seen['trend']['series'][number];

/** What models took on some days, as far as it is known; null where nothing is. */
function spentOn(days: readonly Day[]): number | null {
  const known = days.filter(({ cost_usd }) => cost_usd !== null);
  const usd = known.reduce((sum, day) => sum + (day.cost_usd ?? 0) + (day.judging_cost_usd ?? 0), 0);
  return usd === 0 && known.length < days.length ? null : usd;
}

function money({ series }: Seen['trend']): string {
  const day = series.at(-1);
  const spent = spentOn(series);
  const unknown = series.reduce((sum, each) => sum + each.cost_unknown, 0);
  const last = day ? `${day.date} ${dollars(spentOn([day]))}` : 'nothing yet';
  return `Models: ${last}; ${count(series.length, 'day')} ${dollars(spent)}${unknown > 0 ? `, of ${count(unknown, 'task')} not known` : ''}`;
}

function verification({ verification_nudge: nudge }: Seen['status'], colors: Colors): string {
  const { unverified_count: unverified, total_completions: total } = nudge;
  if (total === 0) return 'Unverified: nothing has been completed yet';
  const ratio = nudge.unverified_ratio ?? unverified / total;
  const text = `Unverified: ${unverified} of ${total} (${percent(ratio)})`;
  return nudge.threshold_exceeded ? colors.bold(colors.red(`${text} ALERT`)) : text;
}

function counts({ by_status: by, per_role: roles, total }: Seen['status'], colors: Colors): string[] {
  const seen = STATUSES.filter((each) => (by[each] ?? 0) > 0);
  const all = seen.map((each) => statusStyle(colors, each)(`${by[each]} ${each}`)).join('  ');
  const waiting = roles
    .map(({ role, by_status }) => [role, (by_status.open ?? 0) + (by_status.blocked ?? 0)] as const)
    .filter(([, waits]) => waits > 0)
    .map(([role, waits]) => `${role} ${waits}`);
  return [
    `${count(total, 'task')}${all === '' ? '' : `:  ${all}`}`,
    `Queues: ${waiting.length === 0 ? 'nothing waits' : waiting.join('  ')}`,
  ];
}

/** A screen of it. Lines are cut at the width, and tasks at the height: nothing wraps, nothing scrolls. */
export function frame(seen: Seen, trip: number | null, { width, height, colors, now }: Screen): string[] {
  const toast =
    trip !== null && now - trip < TOAST_MS
      ? [
          colors.inverse(
            truncate(' Too much is completed without verification: assay tasks --unverified ', width),
          ),
        ]
      : [];
  const head = [
    colors.bold(truncate(`assay top  ${new Date(now).toISOString().slice(11, 19)} UTC`, width)),
    ...counts(seen.status, colors),
    money(seen.trend),
    verification(seen.status, colors),
    ...toast,
    '',
  ];
  const room = Math.max(0, height - head.length - 3);
  const shown = seen.tasks.slice(0, room);
  const table =
    shown.length === 0
      ? ['Nothing runs or waits.']
      : renderTable(
          [
            { title: 'TASK', shrinkTo: 12 },
            { title: 'STATUS' },
            { title: 'ROLE', optional: true },
            { title: 'SINCE', align: 'right' },
            { title: 'TITLE', shrinkTo: 10 },
          ],
          shown.map((task) => [
            task.id,
            { text: task.status, style: statusStyle(colors, task.status, task.flagged_unverified) },
            task.role,
            age(task.updated_at, now),
            [task.title, noteOf(task)].filter(Boolean).join(' · '),
          ]),
          width,
          colors.dim,
        ).split('\n');
  const more = seen.tasks.length - shown.length;
  return [...head, ...table, ...(more > 0 ? [`and ${more} more`] : [])].slice(0, Math.max(1, height - 1));
}
