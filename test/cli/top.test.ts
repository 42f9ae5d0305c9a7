import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { INSTALL_ROOT } from '../../cli/installation.ts';
import { chooseTerminalColors } from '../../cli/io.ts';
import { displayWidth } from '../../cli/output/text.ts';
import {
  ALERT_TOAST_DURATION_MS,
  type DashboardData,
  findTimeThresholdWasFirstExceeded,
  renderDashboardFrame,
} from '../../cli/top/dashboard.ts';
import { DeploymentStatusView } from '../../shared/api/task-schemas.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { findProgram } from '../support/test-tools.ts';
import { aStatus, assay, aTask, type FakeApi, fakeApi } from './support.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const plain = chooseTerminalColors({ isTTY: false }, { NO_COLOR: '1' });
const TRIPPED = {
  total_completions: 4,
  verified_count: 2,
  unverified_count: 2,
  unverified_ratio: 0.5,
  threshold_exceeded: true,
};
const day = {
  date: '2026-11-20',
  ts: 0,
  tasks_total: 3,
  tasks_success: 2,
  success_rate: 0.5,
  cost_usd: 1.5,
  cost_unknown: 1,
  judging_cost_usd: 0.25,
  avg_quality_score: null,
  completions: 0,
  unverified: 0,
  unverified_ratio: null,
  saved_usd: null,
  tier_pass_rates: {},
  gate_seconds: {},
  queue_p50_seconds: null,
  queue_p90_seconds: null,
  gate_pass_rates: {},
};
const trend = {
  granularity: 'day' as const,
  window_days: 7,
  series: [day],
  quality_trend: 'stable' as const,
  generated_at: new Date(NOW).toISOString(),
};
const hostile = '\u001b[31mred\u001b[0m \u202eright to left 漢字 '.repeat(20);
const seenOf = (nudge: object = {}): DashboardData => ({
  status: DeploymentStatusView.parse(aStatus(nudge)),
  tasks: Array.from({ length: 50 }, (_, index) =>
    aTask({ id: `task-${index}`, title: index === 0 ? hostile : 'Fix the door', status: 'in_progress' }),
  ),
  trend,
});
const screen = (width: number, height: number, now = NOW) => ({ width, height, colors: plain, now });

describe('a screen', () => {
  test.each([
    [80, 24],
    [40, 10],
    [200, 60],
    [20, 3],
  ])(
    'of %i columns and %i lines has everything that fits, and nothing that wraps or scrolls',
    (width, height) => {
      const lines = renderDashboardFrame(seenOf(TRIPPED), NOW, screen(width, height));
      expect(lines.length).toBeLessThan(height);
      if (width >= 40)
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 70));
      expect(lines.join('')).not.toContain('\u001b');
      expect(lines.join('')).not.toContain('\u202e');
    },
  );

  test('says how many tasks there are, what waits, what it costs and what is unverified', () => {
    const text = renderDashboardFrame(seenOf(TRIPPED), null, screen(80, 24)).join('\n');
    expect(text).toContain('3 tasks:  1 open  2 done');
    expect(text).toContain('Queues: backend 1');
    expect(text).toMatch(/Models: 2026-11-20 \$1\.75.*1 task of unknown cost/);
    expect(text).toContain('Unverified: 2 of 4 (50%) ALERT');
    expect(text).toMatch(/and \d+ more$/);
  });
});

test('what nobody knows the cost of has not cost nothing', () => {
  const unknown = { ...day, cost_usd: null, cost_unknown: 3, judging_cost_usd: 0 };
  const text = (series: (typeof trend.series)[number][]) =>
    renderDashboardFrame(
      { ...seenOf(), trend: { ...trend, series } as DashboardData['trend'] },
      null,
      screen(80, 24),
    ).join('\n');
  expect(text([unknown as never])).not.toContain('$0');
  expect(text([day, unknown as never])).toMatch(/2 days \$1\.75, 4 tasks of unknown cost/);
});

describe('the toast', () => {
  const has = (trip: number | null, now: number) =>
    renderDashboardFrame(seenOf(TRIPPED), trip, screen(80, 24, now))
      .join('\n')
      .includes('Too many completions');

  test('comes when the threshold trips, and goes after ten seconds', () => {
    const trip = findTimeThresholdWasFirstExceeded(false, true, null, NOW);
    expect(has(trip, NOW)).toBe(true);
    expect(has(trip, NOW + ALERT_TOAST_DURATION_MS - 1)).toBe(true);
    expect(has(trip, NOW + ALERT_TOAST_DURATION_MS)).toBe(false);
  });

  test('does not come for what had tripped before we looked, and comes again for the next time', () => {
    expect(findTimeThresholdWasFirstExceeded(null, true, null, NOW)).toBeNull();
    expect(findTimeThresholdWasFirstExceeded(true, true, NOW, NOW + 5)).toBe(NOW);
    expect(findTimeThresholdWasFirstExceeded(true, false, NOW, NOW + 5)).toBeNull();
    expect(findTimeThresholdWasFirstExceeded(false, true, null, NOW + 9)).toBe(NOW + 9);
  });
});

let api: FakeApi;
afterEach(() => api?.close());
/** The API of a deployment whose threshold trips with the second look. */
const deployment = () =>
  fakeApi(({ url }, nth) => {
    if (url.startsWith('/status')) return [200, { ...aStatus(nth > 3 ? TRIPPED : {}), revision: 0 }];
    if (url.startsWith('/quality/trend')) return [200, trend];
    return [200, { tasks: seenOf().tasks.slice(1), next_cursor: null }];
  });

test('once, for a pipe, it is text', async () => {
  api = await deployment();
  const { code, stdout, stderr } = await assay(['top', '--url', api.url, '--token', 't']);
  expect({ code, stderr, escapes: stdout.includes('\u001b') }).toEqual({
    code: 0,
    stderr: '',
    escapes: false,
  });
  expect(stdout).toContain('task-49');
});

const tmux = findProgram('tmux');
if (tmux === null) console.warn('SKIPPED 1 test of assay top for want of tmux');
test.skipIf(tmux === null)(
  'in a terminal of 80 columns it draws in place, trips with a toast, and leaves the screen as it was',
  async () => {
    api = await deployment();
    const socket = join(createTemporaryFolder(), 'tmux');
    const on = (...args: string[]): string =>
      execFileSync('tmux', ['-S', socket, ...args], {
        encoding: 'utf8',
        env: { ...process.env, TERM: 'xterm' },
      });
    const line = `NO_COLOR=1 '${process.execPath}' '${join(INSTALL_ROOT, 'cli/assay.js')}' top --interval 1 --url ${api.url} --token t`;
    on('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', 'sh');
    /** What stands on the screen when it says this; the test's own time limit ends the waiting. */
    const until = async (text: RegExp): Promise<string> => {
      for (;;) {
        const shown = on('capture-pane', '-p');
        if (text.test(shown)) return shown;
        await setTimeout(100);
      }
    };
    try {
      on('send-keys', 'echo before-$((40 + 2))', 'Enter');
      await until(/before-42/);
      on('send-keys', line, 'Enter');
      const tripped = await until(/Too many completions/);
      expect(tripped).toMatch(/assay top .*UTC/);
      expect(tripped.match(/assay top/g)).toHaveLength(1);
      expect(tripped).toMatch(/and \d+ more/);
      on('send-keys', 'C-c');
      const after = await until(/before-42/);
      expect(after).not.toContain('Queues:');
    } finally {
      on('kill-server');
    }
  },
);
