import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BOX_ENV } from '../../shared/names.ts';
import { after } from '../timer.ts';

/** Time in milliseconds that the output of an ended program may take to drain. */
const DRAIN_MS = 500;
const IS_WINDOWS = process.platform === 'win32';
/** Without these, no program starts on Windows. */
const WINDOWS_VARIABLES = IS_WINDOWS ? ['SystemRoot', 'ComSpec', 'PATHEXT'] : [];

export interface BoxOptions {
  readonly directory: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Made for this box, and removed after it ended. */
  readonly scratch: string;
  /** Every line of output is appended to this file. */
  readonly logFile: string;
  onLine(line: string): void;
}

/** A container as a child process: in its own process group, with an environment of its own. */
export interface Box {
  /**
   * SIGTERM, and SIGKILL for the whole group if it still runs after that time. `isGone`: the machine goes, too, and there is nobody left
   * to hear last words.
   */
  stop(graceMs: number, isGone?: boolean): void;
  /** The exit code, 128 + the number of the signal that ended it. Resolves when nothing is left of the box. */
  readonly exitCode: Promise<number>;
}

/** Starts the program of a box. Throws when it cannot be started. */
export async function startBox(options: BoxOptions): Promise<Box> {
  const home = join(options.scratch, 'home');
  const temporary = join(options.scratch, 'tmp');
  await Promise.all([mkdir(home, { recursive: true }), mkdir(temporary, { recursive: true })]);
  const child = spawn(process.execPath, [join(options.directory, 'main.mjs'), ...options.command], {
    cwd: home,
    detached: !IS_WINDOWS,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...pick('PATH', 'NODE_COMPILE_CACHE', ...WINDOWS_VARIABLES),
      HOME: home,
      TMPDIR: temporary,
      LANG: process.env['LANG'] ?? 'C.UTF-8',
      ...options.environment,
      [BOX_ENV.exitWithParent]: '1',
    },
  });
  await once(child, 'spawn');
  // The pipe is never written to: it ends when this process does, however that happens.
  child.stdin.on('error', () => {});
  const log = createWriteStream(options.logFile, { flags: 'a' });
  const onLine = (line: string) => {
    log.write(`${line}\n`);
    options.onLine(line);
  };
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine);
  }
  const killGroup = () => {
    try {
      if (IS_WINDOWS || child.pid === undefined) child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of the group is left.
    }
  };
  let cancelKill = () => {};
  let exited = false;
  const closed = once(child, 'close');
  const end = async (): Promise<number> => {
    const [code, signal]: Array<unknown> = await once(child, 'exit');
    exited = true;
    cancelKill();
    killGroup();
    // A descendant in a group of its own may still hold the pipes.
    const undrained = after(DRAIN_MS, () => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
    await closed;
    undrained();
    await new Promise<void>((resolve) => log.end(resolve));
    await rm(options.scratch, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) =>
      options.onLine(`its scratch directory is left behind: ${String(error)}`),
    );
    return typeof code === 'number' ? code : 128 + signalNumber(signal);
  };
  return {
    exitCode: end(),
    stop(graceMs, isGone = false) {
      // The number of a process that has ended may belong to another by now.
      if (exited) return;
      if (isGone) child.stdin.end();
      child.kill('SIGTERM');
      cancelKill();
      cancelKill = after(graceMs, killGroup);
    },
  };
}

function signalNumber(signal: unknown): number {
  const found = Object.entries(constants.signals).find(([name]) => name === signal);
  return found?.[1] ?? 0;
}

function pick(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
