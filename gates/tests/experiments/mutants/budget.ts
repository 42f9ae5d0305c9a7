import type { ProcessResult } from '../../../../workspace/process/run-process.ts';

/** How much longer than its CPU time runs may take by the clock: what sleeps uses none. */
const CLOCK = 4;

/** What a kind of further runs may cost: CPU time of what they start, so that a busy machine does not make it less. */
export class Budget {
  #cpuMs: number;
  readonly #until: number;

  constructor(seconds: number) {
    this.#cpuMs = seconds * 1_000;
    this.#until = performance.now() + CLOCK * seconds * 1_000;
  }

  get isSpent(): boolean {
    return this.#cpuMs <= 0 || performance.now() > this.#until;
  }

  /** Takes what a run has cost; where nobody says how much CPU that was, the clock counts. */
  spend<Ran extends { readonly processResult: Pick<ProcessResult, 'cpuMs' | 'durationMs'> }>(run: Ran): Ran {
    this.#cpuMs -= run.processResult.cpuMs ?? run.processResult.durationMs;
    return run;
  }
}
