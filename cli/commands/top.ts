import { setTimeout } from 'node:timers/promises';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineOption, type OptionParser } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import {
  type DashboardData,
  findTimeThresholdWasFirstExceeded,
  renderDashboardFrame,
} from '../top/dashboard.ts';

/** The alternate screen of the terminal: its earlier content comes back at the end. */
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l';
const LEAVE_SCREEN = '\u001b[?25h\u001b[?1049l';
const CURSOR_HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** More than any terminal has lines. */
const MAX_TASKS = 100;
const TREND_DAYS = 7;

const refreshInterval: OptionParser<number> = (text, flag) => {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1 || value > 3_600)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_option', `${flag} must be 1 to 3600 seconds.`);
  return value;
};

async function readDashboard(session: ServerCommandSession): Promise<DashboardData> {
  const client = session.client();
  const [status, list, trend] = await Promise.all([
    client.status({}),
    client.listTasks({ query: { live: 'true', limit: MAX_TASKS } }),
    client.qualityTrend({ query: { days: TREND_DAYS } }),
  ]);
  return { status, tasks: list.tasks, trend };
}

/** Redraws until `stop` aborts. While the server cannot be reached, the last state stays, marked as out of date. */
async function runDashboard(
  session: ServerCommandSession,
  interval: number,
  stop: AbortSignal,
): Promise<void> {
  const { stdout } = session.io;
  let wasExceeded: boolean | null = null;
  let trippedAt: number | null = null;
  let last: DashboardData | null = null;
  while (!stop.aborted) {
    let problem = '';
    try {
      last = await readDashboard(session);
    } catch (error) {
      if (!(error instanceof CliError) || last === null) throw error;
      problem = `not up to date: ${error.message}`;
    }
    const exceeds = last.status.verification_nudge.threshold_exceeded;
    const now = Date.now();
    trippedAt = findTimeThresholdWasFirstExceeded(wasExceeded, exceeds, trippedAt, now);
    wasExceeded = exceeds;
    const screen = { width: stdout.columns ?? 80, height: stdout.rows ?? 24, colors: session.out, now };
    const lines = renderDashboardFrame(last, trippedAt, screen);
    if (problem !== '') lines[0] = session.out.yellow(problem.slice(0, screen.width));
    stdout.write(`${CURSOR_HOME}${lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
    await setTimeout(interval * 1_000, undefined, { signal: stop }).catch(() => undefined);
  }
}

export const topCommand = defineServerCommand({
  name: 'top',
  options: {
    interval: defineOption('--interval <seconds>', 'time between two refreshes', {
      parse: refreshInterval,
      default: 2,
    }),
    once: defineOption('--once', 'print once and exit; the default if standard output is not a terminal'),
  },
  json: {
    text: 'There is no `--json`: `status`, `tasks` and `quality trend` print the same data.',
    option: null,
  },
  examples: [
    ['top', 'tasks, queues, cost and unverified completions, until Ctrl-C'],
    ['top --interval 10', 'over a slow line'],
    ['top --once | head', 'for a script or a log'],
  ],
  run: async (session, { interval, once }) => {
    const { stdout } = session.io;
    if (once || !stdout.isTTY) {
      const dashboard = await readDashboard(session);
      const screen = { width: stdout.columns ?? 80, height: 1_000, colors: session.out, now: Date.now() };
      session.print(renderDashboardFrame(dashboard, null, screen).join('\n'));
      return CLI_EXIT_CODES.ok;
    }
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    stdout.write(ENTER_SCREEN);
    try {
      await runDashboard(session, interval, stop.signal);
    } finally {
      stdout.write(LEAVE_SCREEN);
      process.off('SIGINT', end).off('SIGTERM', end);
    }
    return CLI_EXIT_CODES.ok;
  },
});
