import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { setLongTimeout } from '../long-timeout.ts';
import { type ContainerProcess, type ContainerProgram, startContainerProcess } from './container-process.ts';

/** How long one waits for something to do, in milliseconds. */
const WAITS_MS = 60_000;

/** Starts the process of the next box before it is asked for. */
export interface WarmPool {
  /** A box begins: the process that waits for it, or null. One that waits for another kind of box is ended. */
  take(program: ContainerProgram): Promise<ContainerProcess | null>;
  /** A box has ended. */
  containerEnded(program: ContainerProgram): void;
  stop(): Promise<void>;
}

interface Waiting {
  readonly name: string;
  readonly started: Promise<ContainerProcess | null>;
  cancel(): void;
}

const nameOf = (program: ContainerProgram): string => JSON.stringify(program);
const lives = ({ child }: ContainerProcess): boolean => child.exitCode === null && child.signalCode === null;

/** It has begun nothing, so that there is nothing beside it. */
async function end({ started, cancel }: Waiting): Promise<void> {
  cancel();
  const process = await started;
  if (process === null) return;
  const { child, scratch } = process;
  const exited = lives(process) ? once(child, 'exit') : null;
  child.kill('SIGKILL');
  await exited;
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * A good part of a box that does little is the start of its program. So one process is started ahead, of the kind of box that came
 * next the last time: as soon as a box has ended, and only while none runs, so that no command of one ever finds another that waits.
 */
export function createWarmPool(waitsMs = WAITS_MS): WarmPool {
  /** The kind of box that came after one of this kind. */
  const next = new Map<string, ContainerProgram>();
  let last: string | null = null;
  let running = 0;
  let waiting: Waiting | null = null;

  function start(program: ContainerProgram): Waiting {
    const one: Waiting = {
      name: nameOf(program),
      // What cannot be started now may be later; whoever wants it then is told.
      started: startContainerProcess(program, { [CONTAINER_ENV_NAMES.startedAhead]: '1' }).catch(() => null),
      cancel: setLongTimeout(waitsMs, () => {
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
      return process && lives(process) ? process : null;
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
