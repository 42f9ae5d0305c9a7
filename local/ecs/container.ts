import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { setLongTimeout } from '../long-timeout.ts';
import {
  type ContainerProcess,
  type ContainerProgram,
  IS_WINDOWS,
  startContainerProcess,
} from './container-process.ts';

/** Milliseconds that the output of an ended program may take to drain. */
const DRAIN_MS = 500;

export interface ContainerOptions {
  readonly program: ContainerProgram;
  /** Variables of this container; they override those of its program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every line of output is appended to this file. */
  readonly logFile: string;
  onLine(line: string): void;
}

/** A container as a child process, with its own process group and environment. */
export interface Container {
  /**
   * Sends SIGTERM, and SIGKILL to the whole group if it still runs after that time. `isGone`: the stack ends
   * too, so the supervisor need not report why it ends.
   */
  stop(graceMs: number, isGone?: boolean): void;
  /**
   * The exit code, or 128 + the number of the signal that ended it. Resolves when all its processes have
   * ended.
   */
  readonly exitCode: Promise<number>;
}

/**
 * Starts a container, in the process of the warm pool if there is one. @throws Error if the process cannot be
 * started.
 */
export async function startContainer(
  options: ContainerOptions,
  warm: ContainerProcess | null = null,
): Promise<Container> {
  const { program, environment } = options;
  const { child, scratch } = warm ?? (await startContainerProcess(program, environment));
  // The pipe stays open until this process ends, even by a kill.
  child.stdin.on('error', () => {});
  if (warm) child.stdin.write(`${JSON.stringify(environment)}\n`);
  const log = createWriteStream(options.logFile, { flags: 'a' });
  // On a full disk the container loses its log, and the stack goes on.
  log.on('error', (error) =>
    options.onLine(`the log of the container could not be written: ${error.message}`),
  );
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
    const undrained = setLongTimeout(DRAIN_MS, () => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
    await closed;
    undrained();
    await new Promise<void>((resolve) => log.end(resolve));
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) =>
      options.onLine(`its scratch directory is left behind: ${String(error)}`),
    );
    return typeof code === 'number' ? code : 128 + signalNumber(signal);
  };
  return {
    exitCode: end(),
    stop(graceMs, isGone = false) {
      // The pid of an ended process may belong to another process by now.
      if (exited) return;
      if (isGone) child.stdin.end();
      child.kill('SIGTERM');
      cancelKill();
      cancelKill = setLongTimeout(graceMs, killGroup);
    },
  };
}

function signalNumber(signal: unknown): number {
  const found = Object.entries(constants.signals).find(([name]) => name === signal);
  return found?.[1] ?? 0;
}
