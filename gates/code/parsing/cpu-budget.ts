import { setImmediate } from 'node:timers/promises';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';

/** Raised when the CPU time for looking at code is over. */
export class CpuBudgetExceededError extends Error {}

/** Time after which others get their turn, in milliseconds: the process also keeps the time limits of commands. */
const TURN_MS = 25;

/** Lets long work give way, and end with its time. */
export class CpuBudget {
  readonly #until: number;
  #since = performance.now();

  /** @param until when to give up, as `readThreadCpuMs()` counts. */
  constructor(until: number) {
    this.#until = until;
  }

  /** Checks the budget; called between small pieces of work. @throws CpuBudgetExceededError */
  async yieldAndCheck(): Promise<void> {
    const now = performance.now();
    if (now - this.#since < TURN_MS) return;
    if (readThreadCpuMs() > this.#until)
      throw new CpuBudgetExceededError('the code is too much to be looked at in time');
    await setImmediate();
    this.#since = performance.now();
  }
}
