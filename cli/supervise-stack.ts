import { setTimeout } from 'node:timers/promises';
import { listenOnPort, sendStorageFull } from '../local/http/listen.ts';
import {
  isRoomLeft,
  MIN_FREE_BYTES,
  MIN_FREE_BYTES_FOR_START,
  readFreeBytes,
  STORAGE_FULL_EXIT_CODE,
} from '../local/storage.ts';
import { isAuthenticationLeftToHandler } from '../shared/lib/loopback-listener.ts';
import { abortOnSignals } from './abort-on-signals.ts';
import { CLI_EXIT_CODES, CliError, InterruptedError } from './exit.ts';
import {
  type LocalStack,
  type SpawnLocalStackOptions,
  STORAGE_FULL,
  spawnLocalStack,
} from './local-stack.ts';

/** Milliseconds between two looks at the free space, of which no event tells. */
const LOOK_INTERVAL_MS = 500;

export interface StackSupervision {
  /** Called after each start. */
  onReady(stack: LocalStack): void;
  /** Called when the stack has ended because its disk is full, before the wait for free space. */
  onStorageFull(): void;
}

/** How the stack ended for good. */
export interface StackEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isInterrupted: boolean;
}

/** Most restarts in a row at which the disk had room at the first look: then another reason ends the stack. */
const MAX_RESTARTS_WITH_ROOM = 5;

/** Counts restarts after a full disk at which the disk had room at the first look. */
export class RestartLimit {
  #restarts = 0;

  isRestartAllowed(hasRoom: boolean): boolean {
    this.#restarts = hasRoom ? this.#restarts + 1 : 0;
    return this.#restarts <= MAX_RESTARTS_WITH_ROOM;
  }
}

/**
 * Waits until the folder has room for a start. Meanwhile each request at the port of the API is refused with `storage_full`.
 * Returns false if a signal came first.
 */
async function waitForRoom(dataDir: string, port: number): Promise<boolean> {
  const { signal, release } = abortOnSignals();
  const listener = await listenOnPort(
    { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler },
    (request, response) => {
      request.resume();
      sendStorageFull(response, dataDir);
    },
    port,
  ).catch(() => null);
  try {
    while (!isRoomLeft(dataDir, MIN_FREE_BYTES_FOR_START))
      await setTimeout(LOOK_INTERVAL_MS, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    await listener?.stop();
    release();
  }
}

const isStorageFull = (code: number | null, dataDir: string): boolean =>
  code === STORAGE_FULL_EXIT_CODE || (code !== 0 && readFreeBytes(dataDir) < MIN_FREE_BYTES);

/**
 * Runs the embedded stack until it ends for another reason than a full disk. When the disk was full, starts it again on the same
 * port as soon as there is room.
 * @throws CliError if the first start fails, or if the stack keeps ending for a full disk that has room
 */
export async function superviseStack(
  options: SpawnLocalStackOptions,
  supervision: StackSupervision,
): Promise<StackEnd> {
  const limit = new RestartLimit();
  let port = options.port;
  for (let stack = await spawnLocalStack(options); ; ) {
    try {
      supervision.onReady(stack);
      port = Number(new URL(stack.connection.url).port);
      const { code, signal } = await stack.ended;
      const isInterrupted = stack.interrupted.aborted;
      if (isInterrupted || !isStorageFull(code, options.dataDir)) return { code, signal, isInterrupted };
    } finally {
      await stack.stop();
    }
    const restarted = await restart({ ...options, port }, supervision, limit);
    if (restarted === null) return { code: null, signal: null, isInterrupted: true };
    stack = restarted;
  }
}

/** Starts the stack again when there is room, as often as the disk is full by then. Returns null after a signal. */
async function restart(
  options: SpawnLocalStackOptions & { readonly port: number },
  { onStorageFull }: StackSupervision,
  limit: RestartLimit,
): Promise<LocalStack | null> {
  onStorageFull();
  for (;;) {
    if (!limit.isRestartAllowed(isRoomLeft(options.dataDir, MIN_FREE_BYTES_FOR_START)))
      throw new CliError(
        CLI_EXIT_CODES.failed,
        STORAGE_FULL,
        `The stack reported a full disk ${MAX_RESTARTS_WITH_ROOM + 1} times in a row, but ${options.dataDir} has room.`,
        { hint: 'Start it with --verbose to see which write fails, and look at quotas of other folders.' },
      );
    if (!(await waitForRoom(options.dataDir, options.port))) return null;
    try {
      return await spawnLocalStack(options);
    } catch (error) {
      if (error instanceof InterruptedError) return null;
      if (!(error instanceof CliError && error.code === STORAGE_FULL)) throw error;
    }
  }
}
