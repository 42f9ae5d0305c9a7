import type * as z from 'zod';
import type { DeploymentStatusView, TaskSummary } from '../../shared/api/task-schemas.ts';
import { TASK_STATUSES } from '../../shared/contract/task/status.ts';
import type { QualityTrend } from '../../shared/control/metrics/quality-schemas.ts';
import { formatAge, formatCount, formatDollars, formatPercent } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { chooseStatusStyle, renderTaskNote } from '../output/task-style.ts';
import { truncateToWidth } from '../output/text.ts';

/** The data of the dashboard. */
export interface DashboardData {
  readonly status: z.infer<typeof DeploymentStatusView>;
  readonly tasks: readonly TaskSummary[];
  readonly trend: z.infer<typeof QualityTrend>;
}

export interface DashboardTerminalScreen {
  readonly width: number;
  readonly height: number;
  readonly colors: TerminalColors;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How long a toast is shown; the source design says ten seconds. */
export const ALERT_TOAST_DURATION_MS = 10_000;

/**
 * Returns when the threshold was first exceeded while the dashboard ran; null: it is not exceeded, or was from the start.
 * @param wasExceeded at the refresh before; null: this is the first one
 */
export const findTimeThresholdWasFirstExceeded = (
  wasExceeded: boolean | null,
  isExceeded: boolean,
  trippedAt: number | null,
  now: number,
): number | null => {
  if (!isExceeded) return null;
  return wasExceeded === false ? now : trippedAt;
};

type Day = DashboardData['trend']['series'][number];

/** Sums the known cost of models on some days; null if none is known. */
function sumCost(days: readonly Day[]): number | null {
  const known = days.filter(({ cost_usd }) => cost_usd !== null);
  const usd = known.reduce((sum, day) => sum + (day.cost_usd ?? 0) + (day.judging_cost_usd ?? 0), 0);
  return usd === 0 && known.length < days.length ? null : usd;
}

function costLine({ series }: DashboardData['trend']): string {
  const day = series.at(-1);
  const spent = sumCost(series);
  const unknown = series.reduce((sum, each) => sum + each.cost_unknown, 0);
  const last = day ? `${day.date} ${formatDollars(sumCost([day]))}` : 'nothing yet';
  return `Models: ${last}; ${formatCount(series.length, 'day')} ${formatDollars(spent)}${unknown > 0 ? `, ${formatCount(unknown, 'task')} of unknown cost` : ''}`;
}

function verificationLine(
  { verification_nudge: nudge }: DashboardData['status'],
  colors: TerminalColors,
): string {
  const { unverified_count: unverified, total_completions: total } = nudge;
  if (total === 0) return 'Unverified: no completions yet';
  const ratio = nudge.unverified_ratio ?? unverified / total;
  const text = `Unverified: ${unverified} of ${total} (${formatPercent(ratio)})`;
  return nudge.threshold_exceeded ? colors.bold(colors.red(`${text} ALERT`)) : text;
}

function countLines(
  { by_status: by, per_role: roles, total }: DashboardData['status'],
  colors: TerminalColors,
): string[] {
  const present = TASK_STATUSES.filter((each) => (by[each] ?? 0) > 0);
  const all = present.map((each) => chooseStatusStyle(colors, each)(`${by[each]} ${each}`)).join('  ');
  const waiting = roles
    .map(({ role, by_status }) => [role, (by_status.open ?? 0) + (by_status.blocked ?? 0)] as const)
    .filter(([, waits]) => waits > 0)
    .map(([role, waits]) => `${role} ${waits}`);
  return [
    `${formatCount(total, 'task')}${all === '' ? '' : `:  ${all}`}`,
    `Queues: ${waiting.length === 0 ? 'empty' : waiting.join('  ')}`,
  ];
}

/** Renders one screen. Lines are cut at its width, and tasks at its height: nothing wraps or scrolls. */
export function renderDashboardFrame(
  dashboard: DashboardData,
  trippedAt: number | null,
  { width, height, colors, now }: DashboardTerminalScreen,
): string[] {
  const toast =
    trippedAt !== null && now - trippedAt < ALERT_TOAST_DURATION_MS
      ? [
          colors.inverse(
            truncateToWidth(' Too many completions are unverified: assay tasks --unverified ', width),
          ),
        ]
      : [];
  const head = [
    colors.bold(truncateToWidth(`assay top  ${new Date(now).toISOString().slice(11, 19)} UTC`, width)),
    ...countLines(dashboard.status, colors),
    costLine(dashboard.trend),
    verificationLine(dashboard.status, colors),
    ...toast,
    '',
  ];
  const lines = Math.max(0, height - head.length - 3);
  const shown = dashboard.tasks.slice(0, lines);
  const table =
    shown.length === 0
      ? ['No task is running or waiting.']
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
            { text: task.status, style: chooseStatusStyle(colors, task.status, task.flagged_unverified) },
            task.role,
            formatAge(task.updated_at, now),
            [task.title, renderTaskNote(task)].filter(Boolean).join(' · '),
          ]),
          width,
          colors.dim,
        ).split('\n');
  const more = dashboard.tasks.length - shown.length;
  return [...head, ...table, ...(more > 0 ? [`and ${more} more`] : [])].slice(0, Math.max(1, height - 1));
}
