import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { action, examples } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { frame, type Seen, trippedAt } from '../top/frame.ts';

/** Another screen while it runs, so that what stood there before comes back. */
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** Tasks that are read: more than any terminal has lines. */
const TASKS = 100;
const DAYS = 7;

interface Options {
  readonly interval: number;
  readonly once?: true;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1 || value > 3_600)
    throw new CliError(EXIT.usage, 'bad_interval', '--interval must be 1 to 3600 seconds.');
  return value;
}

async function look(session: Session): Promise<Seen> {
  const client = session.client();
  const [status, list, trend] = await Promise.all([
    client.status({}),
    client.listTasks({ query: { live: 'true', limit: TASKS } }),
    client.qualityTrend({ query: { days: DAYS } }),
  ]);
  return { status, tasks: list.tasks, trend };
}

/** Draws until the process is told to end. A server that is away is said, and asked again. */
async function draw(session: Session, interval: number, stop: AbortSignal): Promise<void> {
  const { stdout } = session.io;
  let before: boolean | null = null;
  let trip: number | null = null;
  let last: Seen | null = null;
  while (!stop.aborted) {
    let problem = '';
    try {
      last = await look(session);
    } catch (error) {
      if (!(error instanceof CliError) || last === null) throw error;
      problem = `not up to date: ${error.message}`;
    }
    const exceeds = last.status.verification_nudge.threshold_exceeded;
    const now = Date.now();
    trip = trippedAt(before, exceeds, trip, now);
    before = exceeds;
    const screen = { width: stdout.columns ?? 80, height: stdout.rows ?? 24, colors: session.out, now };
    const lines = frame(last, trip, screen);
    if (problem !== '') lines[0] = session.out.yellow(problem.slice(0, screen.width));
    stdout.write(`${HOME}${lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
    await setTimeout(interval * 1_000, undefined, { signal: stop }).catch(() => undefined);
  }
}

export function registerTop(program: Command, io: Io): void {
  const command = program
    .command('top')
    .description(SUMMARY.top)
    .option('--interval <seconds>', 'how often it looks', seconds, 2)
    .option('--once', 'print it once; so it is where standard output is no terminal');
  action<[Options]>(command, io, async (session, { interval, once }) => {
    const { stdout } = session.io;
    if (once || !stdout.isTTY) {
      const seen = await look(session);
      const screen = { width: stdout.columns ?? 80, height: 1_000, colors: session.out, now: Date.now() };
      session.print(frame(seen, null, screen).join('\n'));
      return EXIT.ok;
    }
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    stdout.write(ENTER);
    try {
      await draw(session, interval, stop.signal);
    } finally {
      stdout.write(LEAVE);
      process.off('SIGINT', end).off('SIGTERM', end);
    }
    return EXIT.ok;
  });
  examples(command, [
    ['top', 'tasks, queues, spend and what is unverified, until Ctrl-C'],
    ['top --interval 10', 'over a slow line'],
    ['top --once | head', 'for a script or a log'],
  ]);
}
