import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { setLongTimeout } from '../long-timeout.ts';
import { type ContainerProcess, type ContainerProgram, startContainerProcess } from './container-process.ts';

/** Milliseconds for which a process waits to be used. */
const MAX_IDLE_MS = 60_000;

/** Starts the process of the next container before it is needed. */
export interface WarmContainerPool {
  /**
   * Takes the waiting process for a container that starts, or null. A process of another program is ended.
   */
  take(program: ContainerProgram): Promise<ContainerProcess | null>;
  /** To be called when a container has ended. */
  containerEnded(program: ContainerProgram): void;
  stop(): Promise<void>;
}

interface Waiting {
  readonly name: string;
  readonly started: Promise<ContainerProcess | null>;
  cancel(): void;
}

const nameOf = (program: ContainerProgram): string => JSON.stringify(program);
const isAlive = ({ child }: ContainerProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

/** A process that was never used has no children: only it has to be killed. */
async function end({ started, cancel }: Waiting): Promise<void> {
  cancel();
  const process = await started;
  if (process === null) return;
  const { child, scratch } = process;
  const exited = isAlive(process) ? once(child, 'exit') : null;
  child.kill('SIGKILL');
  await exited;
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Creates a pool of one process, because starting the program is a good part of a container that does little.
 * When a container has ended, the process of the program that followed it the last time is started. It exists
 * only while no container runs, so that no command in a container can reach it.
 */
export function createWarmContainerPool(maxIdleMs = MAX_IDLE_MS): WarmContainerPool {
  /** The program of the container that followed one of this program. */
  const next = new Map<string, ContainerProgram>();
  let last: string | null = null;
  let running = 0;
  let waiting: Waiting | null = null;

  function start(program: ContainerProgram): Waiting {
    const one: Waiting = {
      name: nameOf(program),
      // A program that cannot be started fails again, with its error, when a container needs it.
      started: startContainerProcess(program, { [CONTAINER_ENV_NAMES.warmStart]: '1' }).catch(() => null),
      cancel: setLongTimeout(maxIdleMs, () => {
        if (waiting === one) waiting = null;
        void end(one);
      }),
    };
    return one;
  }

  return {
    async take(program) {
      running += 1;
      const name = nameOf(program);
      if (last !== null) next.set(last, program);
      last = name;
      const found = waiting;
      waiting = null;
      if (found && found.name !== name) await end(found);
      if (found?.name !== name) return null;
      found.cancel();
      const process = await found.started;
      return process && isAlive(process) ? process : null;
    },
    containerEnded(program) {
      running -= 1;
      const following = next.get(nameOf(program));
      if (running === 0 && waiting === null && following?.canStartWarm) waiting = start(following);
    },
    async stop() {
      if (waiting) await end(waiting);
    },
  };
}
