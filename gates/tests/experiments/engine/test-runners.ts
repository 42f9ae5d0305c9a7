import type { ProcessResult } from '../../../../workspace/process/run-process.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import type { ExperimentRunOptions, TreeTestRunner } from './experiment.ts';
import type { MissingEvidenceReason } from './finding-causes.ts';

/** Least CPU time for the experiments of one patch, in milliseconds, however little its suite takes. */
const MIN_CPU_MS = 10_000;
/** How much longer than its CPU time a budget lasts by the clock: what sleeps uses no CPU. */
const WALL_CLOCK_FACTOR = 4;

/** Raised where a run would begin after the budget is spent. */
export class ExperimentBudgetSpentError extends Error {}

interface BudgetOptions {
  /** What the suite took, in milliseconds: CPU time, or wall time where the system does not tell CPU time. */
  readonly suiteMs: number;
  /** Multiple of that which all experiments together may take. */
  readonly factor: number;
  /** What is left of the gate's time limit, in milliseconds; 1 or less: nothing. */
  readonly timeLeftMs: () => number;
}

/**
 * The one budget of a patch's experiments: CPU time of what they start, so that a busy machine does not make it less. Required runs are
 * charged too, and never refused; optional ones get what is left.
 */
export class ExperimentCpuBudget {
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

/** Works until the budget is spent; what is done by then counts. @returns whether all was done. */
export async function runUntilBudgetIsSpent(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ExperimentBudgetSpentError) return false;
    throw error;
  }
}

/** Time for a run of the same tests on another tree, besides ten times what they took before, in milliseconds. */
const EXTRA_RUN_MS = 60_000;
const RUN_TIME_FACTOR = 10;

/** Longest time for a run, or for one required row, in milliseconds: tests of one side may wait forever for what the other has. */
const extraRunLimitMs = (suiteMs: number): number => EXTRA_RUN_MS + RUN_TIME_FACTOR * suiteMs;

/** Raised where evidence that decides could not be made. */
export class MissingExperimentEvidenceError extends Error {
  readonly reason: MissingEvidenceReason;
  constructor(reason: MissingEvidenceReason) {
    super(reason.code);
    this.reason = reason;
  }
}

/** Returns a run that came to its end. @throws MissingExperimentEvidenceError where the tests neither passed nor failed. */
export function requireCompletedRun(run: CompletedCommandRun): CompletedCommandRun {
  const { outcome, detail } = run;
  if (outcome === 'passed' || outcome === 'failed') return run;
  throw new MissingExperimentEvidenceError({ code: 'run_incomplete', outcome, detail });
}

/** Works until evidence is missing; what is done by then counts. @returns why it is missing, or null where all was done. */
export async function runUntilEvidenceIsMissing(
  work: () => Promise<void>,
): Promise<MissingEvidenceReason | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof MissingExperimentEvidenceError) return error.reason;
    throw error;
  }
}

/** How experiments run tests: each row gets the one of its kind. No runner runs the same tree in the same environment twice. */
export interface ExperimentTestRunners {
  /** At the cost of the budget. @throws ExperimentBudgetSpentError */
  readonly optional: TreeTestRunner;
  /** Starts the time of one required row. Its runs count in the budget, and go on after it is spent. @throws MissingExperimentEvidenceError once its time has passed */
  readonly startRequired: () => TreeTestRunner;
}

export interface ExperimentTestRunnersOptions {
  readonly run: TreeTestRunner;
  readonly budget: ExperimentCpuBudget;
  /** What the suite of the patch took by the clock, in milliseconds. */
  readonly patchMs: number;
  /** What the base took; null: it did not run. A patch that makes its suite slow must not get more time for it, or less. */
  readonly baseMs: number | null;
  /** Time limit of the gate, which one run may take at most, in milliseconds. */
  readonly timeLimitMs: number;
  /** Starts a time limit, in milliseconds. @returns what is left of it, at least 1. */
  readonly startTimeLimit: (limitMs: number) => () => number;
}

const runKey = (
  tree: string,
  { environment = {}, stopsAtFirstFailure = false }: ExperimentRunOptions,
): string => JSON.stringify([tree, environment, stopsAtFirstFailure]);

export function createExperimentTestRunners(options: ExperimentTestRunnersOptions): ExperimentTestRunners {
  const { run, budget, timeLimitMs, startTimeLimit, patchMs, baseMs } = options;
  const known = new Map<string, Promise<CompletedCommandRun>>();
  const runOnce = (
    tree: string,
    { limitMs, ...how }: ExperimentRunOptions,
    start: (limitMs: number | undefined) => Promise<CompletedCommandRun>,
  ): Promise<CompletedCommandRun> => {
    if (limitMs !== undefined) return start(limitMs);
    const key = runKey(tree, how);
    const there = known.get(key) ?? start(undefined);
    known.set(key, there);
    return there;
  };
  const runCharged = async (tree: string, options: ExperimentRunOptions): Promise<CompletedCommandRun> => {
    const execution = await run(tree, options);
    budget.charge(execution.processResult);
    return execution;
  };
  return {
    optional: async (tree, options = {}) => {
      if (budget.isSpent && (options.limitMs !== undefined || !known.has(runKey(tree, options))))
        throw new ExperimentBudgetSpentError();
      return runOnce(tree, options, (limitMs = extraRunLimitMs(patchMs)) =>
        runCharged(tree, { ...options, limitMs: Math.min(limitMs, budget.timeLeftMs) }),
      );
    },
    startRequired: () => {
      const limitMs = Math.min(timeLimitMs, baseMs === null ? timeLimitMs : extraRunLimitMs(baseMs));
      const left = startTimeLimit(limitMs);
      return async (tree, options = {}) => {
        if (left() <= 1) throw new MissingExperimentEvidenceError({ code: 'no_time_left', limitMs });
        return runOnce(tree, options, (own = left()) =>
          runCharged(tree, { ...options, limitMs: Math.min(timeLimitMs, own) }),
        );
      };
    },
  };
}
