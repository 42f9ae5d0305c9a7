import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** @default - the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
}

/** Longest delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/**
 * Runs a command with its output in a log, and ends it with its children at a deadline (milliseconds since 1970).
 * @returns the exit code, or null at the deadline
 */
export function runWithLog(
  { program, args, env = process.env }: Command,
  log: string,
  deadline: number,
): Promise<number | null> {
  const output = createWriteStream(log);
  // A process group of its own: what a build runs must end with it.
  const child = spawn(program, [...args], { detached: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  let ended = false;
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const timer = setTimeout(
    () => {
      ended = true;
      kill('SIGKILL');
    },
    Math.min(Math.max(deadline - Date.now(), 0), MAX_DELAY),
  );
  return new Promise((resolve) => {
    child.once('error', (error) => output.write(`${error.message}\n`));
    child.once('close', (code) => {
      clearTimeout(timer);
      output.end(() => resolve(ended ? null : (code ?? 1)));
    });
  });
}
