import { spawn } from 'node:child_process';
import type { CommandIo } from '../io.ts';
import { findCommandName } from '../program.ts';

/** Commands that print once, to be read: no others wait until all is there. */
const READ: ReadonlySet<string> = new Set([
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
/** With these a command goes on printing, prints for a program or a file, or says what is not to be read page by page. */
const LIVE: ReadonlySet<string> = new Set(['--watch', '--follow', '--json', '--version', '-V']);

/** Is what this command line prints to be read page by page? Never where standard output is no terminal. */
const isToBePaged = (argv: readonly string[], { env, stdout }: CommandIo): boolean =>
  stdout.isTTY &&
  env['TERM'] !== 'dumb' &&
  env['PAGER'] !== '' &&
  env['PAGER'] !== 'cat' &&
  !argv.some((word) => LIVE.has(word)) &&
  (argv.some((word) => word === '--help' || word === '-h' || word === 'help') ||
    READ.has(findCommandName(argv) ?? ''));

/** Rows that a text takes in a terminal, at least: long lines may take several. */
const rowsOf = (text: string): number => text.split('\n').length - 1;

/** Io that keeps what is printed until `finish`, which shows it: page by page where it is longer than the terminal, else as it is. */
export function createPagedIo(
  argv: readonly string[],
  io: CommandIo,
): { readonly io: CommandIo; finish(): Promise<void> } {
  const { page, stdout } = io;
  if (!page || !isToBePaged(argv, io)) return { io, finish: async () => {} };
  let kept = '';
  return {
    io: {
      ...io,
      stdout: {
        isTTY: stdout.isTTY,
        columns: stdout.columns,
        rows: stdout.rows,
        write: (text) => {
          kept += text;
        },
      },
    },
    finish: async () => {
      if (rowsOf(kept) < (stdout.rows ?? Number.POSITIVE_INFINITY) || !(await page(kept))) stdout.write(kept);
    },
  };
}

/** The shell's word for a program that it has not found. */
const NOT_FOUND = 127;

/**
 * Hands a text to `PAGER`, a command line, or to `less`. Resolves to whether one has shown it. Never rejects: where there is none, it is
 * printed as it is.
 */
export function showInPager(text: string, env: CommandIo['env']): Promise<boolean> {
  const own = env['PAGER'];
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    // As git has it: colours are shown, and nothing is cleared.
    env: { LESS: 'FRX', ...env } as NodeJS.ProcessEnv,
  };
  return new Promise((resolve) => {
    const child = own === undefined ? spawn('less', options) : spawn(own, { ...options, shell: true });
    // Ctrl-C belongs to the pager while it runs.
    const ignore = (): void => {};
    process.on('SIGINT', ignore);
    const end = (isShown: boolean): void => {
      process.off('SIGINT', ignore);
      resolve(isShown);
    };
    child.on('error', () => end(false));
    child.on('close', (code) => end(code !== NOT_FOUND));
    // Whoever has seen enough ends it early.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
