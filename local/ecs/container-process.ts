import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';

export const IS_WINDOWS = process.platform === 'win32';
/** Variables without which no program starts on Windows. */
const WINDOWS_VARIABLES = IS_WINDOWS ? ['SystemRoot', 'ComSpec', 'PATHEXT'] : [];

/** What the containers of a task definition have in common. */
export interface ContainerProgram {
  readonly directory: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder in which each container gets its own folder, which is removed when it has ended. */
  readonly scratch: string;
  /** It knows how to wait for what is not of its kind but of one box (`BOX_ENV.warmStart`). */
  readonly canStartWarm: boolean;
}

export interface ContainerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its own folder. */
  readonly scratch: string;
}

/** Starts the process of a box, in a process group of its own. Throws when it cannot be started. */
export async function startContainerProcess(
  program: ContainerProgram,
  environment: Readonly<Record<string, string>>,
): Promise<ContainerProcess> {
  const scratch = join(program.scratch, randomUUID());
  const home = join(scratch, 'home');
  const temporary = join(scratch, 'tmp');
  await Promise.all([mkdir(home, { recursive: true }), mkdir(temporary, { recursive: true })]);
  const child = spawn(process.execPath, [join(program.directory, 'main.mjs'), ...program.command], {
    cwd: home,
    detached: !IS_WINDOWS,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...pick('PATH', 'NODE_COMPILE_CACHE', ...WINDOWS_VARIABLES),
      HOME: home,
      TMPDIR: temporary,
      LANG: process.env['LANG'] ?? 'C.UTF-8',
      ...program.environment,
      ...environment,
      [CONTAINER_ENV_NAMES.exitWithParent]: '1',
    },
  });
  await once(child, 'spawn');
  return { child, scratch };
}

function pick(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
