import { AsyncLocalStorage } from 'node:async_hooks';

/** Something that runs and can stop between any two of its outside calls: one invocation of a function, or a box. */
export class SimulatedProcess {
  readonly name: string;
  isAlive = true;
  calls = 0;
  readonly #onDeath: ((why: string) => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Ends it where it stands: what it has done stays done, and it never hears of the answers that are on their way. */
  kill(why: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const each of this.#onDeath.splice(0)) each(why);
  }

  /** It is done: nothing of it happens any more. */
  end(): void {
    this.isAlive = false;
    this.#onDeath.length = 0;
  }

  onDeath(call: (why: string) => void): void {
    this.#onDeath.push(call);
  }
}

const storage = new AsyncLocalStorage<SimulatedProcess | null>();

/** The process whose code is running, or null for the world itself. */
export const getCurrentProcess = (): SimulatedProcess | null => storage.getStore() ?? null;

/**
 * Runs `body` as `process`. Rejects with `Killed` when that is killed first; `body` then hangs for ever at its next call and is
 * collected.
 */
export class ProcessKilledError extends Error {}
export function runAsProcess<T>(process: SimulatedProcess, body: () => Promise<T>): Promise<T> {
  if (!process.isAlive) return Promise.reject(new ProcessKilledError('died before it began'));
  return new Promise((resolve, reject) => {
    process.onDeath((why) => reject(new ProcessKilledError(why)));
    storage.run(process, () => {
      body().then(
        (value) => {
          if (process.isAlive) resolve(value);
        },
        (error: unknown) => {
          if (process.isAlive) reject(error);
        },
      );
    });
  });
}

/** Runs `body` as the world: what it starts belongs to nobody. */
export const runOutsideProcesses = <T>(body: () => T): T => storage.run(null, body);
