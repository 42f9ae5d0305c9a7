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

/** Time in milliseconds that the output of an ended program may take to drain. */
const DRAIN_MS = 500;

export interface ContainerOptions {
  readonly program: ContainerProgram;
  /** What this box has in its environment besides that of its program, or in place of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every line of output is appended to this file. */
  readonly logFile: string;
  onLine(line: string): void;
}

/** A container as a child process: in its own process group, with an environment of its own. */
export interface Container {
  /**
   * SIGTERM, and SIGKILL for the whole group if it still runs after that time. `isGone`: the machine goes, too, and there is nobody left
   * to hear last words.
   */
  stop(graceMs: number, isGone?: boolean): void;
  /** The exit code, 128 + the number of the signal that ended it. Resolves when nothing is left of the box. */
  readonly exitCode: Promise<number>;
}

/** Starts a box, in a process that was started ahead where there is one. Throws when it cannot be started. */
export async function startContainer(
  options: ContainerOptions,
  ahead: ContainerProcess | null = null,
): Promise<Container> {
  const { program, environment } = options;
  const { child, scratch } = ahead ?? (await startContainerProcess(program, environment));
  // The pipe stays open: it ends when this process does, however that happens.
  child.stdin.on('error', () => {});
  if (ahead) child.stdin.write(`${JSON.stringify(environment)}\n`);
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
      // The number of a process that has ended may belong to another by now.
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
