import { spawn } from 'node:child_process';
import type { CommandIo } from '../io.ts';
import { findCommandName } from '../program.ts';

/** Commands whose output is complete at once: only their output can wait for a pager. */
const PAGED_COMMANDS: ReadonlySet<string> = new Set([
  'adapters',
  'agents',
  'approvals',
  'cascade',
  'check',
  'dlq',
  'gates',
  'plans',
  'quality',
  'query',
  'reviews',
  'rules',
  'status',
  'task',
  'tasks',
  'verification',
]);
/** Options that keep a command printing, or print for a program. */
const UNPAGED_OPTIONS: ReadonlySet<string> = new Set(['--watch', '--follow', '--json', '--version', '-V']);

/** Whether the output of a command line is shown in a pager; never if standard output is not a terminal. */
const shouldPage = (argv: readonly string[], { env, stdout }: CommandIo): boolean =>
  stdout.isTTY &&
  env['TERM'] !== 'dumb' &&
  env['PAGER'] !== '' &&
  env['PAGER'] !== 'cat' &&
  !argv.some((word) => UNPAGED_OPTIONS.has(word)) &&
  (argv.some((word) => word === '--help' || word === '-h' || word === 'help') ||
    PAGED_COMMANDS.has(findCommandName(argv) ?? ''));

/** Counts the rows of a text in a terminal at least: long lines take several. */
const countRows = (text: string): number => text.split('\n').length - 1;

/** Creates an CommandIo that collects the output until `finish`, which shows it: in a pager if it is longer than the terminal, else directly. */
export function createPagedIo(
  argv: readonly string[],
  io: CommandIo,
): { readonly io: CommandIo; finish(): Promise<void> } {
  const { page, stdout } = io;
  if (!page || !shouldPage(argv, io)) return { io, finish: async () => {} };
  let collected = '';
  return {
    io: {
      ...io,
      stdout: {
        isTTY: stdout.isTTY,
        columns: stdout.columns,
        rows: stdout.rows,
        write: (text) => {
          collected += text;
        },
      },
    },
    finish: async () => {
      if (countRows(collected) < (stdout.rows ?? Number.POSITIVE_INFINITY) || !(await page(collected)))
        stdout.write(collected);
    },
  };
}

/** Exit code of a shell for a program that it did not find. */
const NOT_FOUND = 127;

/** Shows a text in `PAGER`, which is a command line, else in `less`. Resolves to whether a pager has shown it; never rejects. */
export function showInPager(text: string, env: CommandIo['env']): Promise<boolean> {
  const own = env['PAGER'];
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    // Like git: colours are shown, and the screen is not cleared.
    env: { LESS: 'FRX', ...env } as NodeJS.ProcessEnv,
  };
  return new Promise((resolve) => {
    const child = own === undefined ? spawn('less', options) : spawn(own, { ...options, shell: true });
    // The pager handles Ctrl-C while it runs.
    const ignore = (): void => {};
    process.on('SIGINT', ignore);
    const end = (isShown: boolean): void => {
      process.off('SIGINT', ignore);
      resolve(isShown);
    };
    child.on('error', () => end(false));
    child.on('close', (code) => end(code !== NOT_FOUND));
    // A pager that ends early closes its input.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
