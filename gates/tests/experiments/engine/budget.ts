import type { ProcessResult } from '../../../../workspace/process/run-process.ts';

/** Least CPU time for the experiments of one patch, in milliseconds, however little its suite takes. */
const MIN_CPU_MS = 100_000;
/** How much longer than its CPU time a budget lasts by the clock: what sleeps uses no CPU. */
const WALL_CLOCK_FACTOR = 4;

/** Raised where a run would begin after the budget is spent. */
export class BudgetSpentError extends Error {}

export interface BudgetOptions {
  /** What the suite took, in milliseconds: CPU time, or wall time where the system does not tell CPU time. */
  readonly suiteMs: number;
  /** Multiple of that which all experiments together may take. */
  readonly factor: number;
  /** What is left of the gate's time limit, in milliseconds; 1 or less: nothing. */
  readonly timeLeftMs: () => number;
}

/** The one budget of a patch's experiments: CPU time of what they start, so that a busy machine does not make it less. */
export class Budget {
  #cpuMs: number;
  readonly #until: number;
  readonly #timeLeftMs: () => number;

  constructor({ suiteMs, factor, timeLeftMs }: BudgetOptions) {
    this.#cpuMs = Math.max(MIN_CPU_MS, factor * suiteMs);
    this.#until = performance.now() + WALL_CLOCK_FACTOR * this.#cpuMs;
    this.#timeLeftMs = timeLeftMs;
  }

  get isSpent(): boolean {
    return this.#cpuMs <= 0 || performance.now() > this.#until || this.#timeLeftMs() <= 1;
  }

  /** What is left of the gate's time limit, in milliseconds. */
  get timeLeftMs(): number {
    return this.#timeLeftMs();
  }

  /** Charges what a run has cost; where the system does not tell its CPU time, the clock counts. */
  charge({ cpuMs, durationMs }: Pick<ProcessResult, 'cpuMs' | 'durationMs'>): void {
    this.#cpuMs -= cpuMs ?? durationMs;
  }
}
