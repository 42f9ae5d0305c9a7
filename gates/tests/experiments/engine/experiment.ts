import type { ExperimentContext, ExperimentResult } from './experiment-context.ts';

/** One kind of experiment: tests of one side run once more under one changed condition. */
export interface Experiment {
  readonly id: string;
  /**
   * `required`: evidence that decides. It has a time limit of its own, derived from the base's time, and where it could not be made the
   * gate ends as `could_not_run`. `optional`: runs at the cost of the budget, and is left out once that is spent. `conclusion`: starts
   * no run, and reads what the rows before it found.
   */
  readonly evidence: 'required' | 'optional' | 'conclusion';
  /** Whose code runs. */
  readonly tree: 'patch' | 'base' | 'both';
  /** Which tests run: those that the patch changes (in the version of one side), those that reach its code, or hidden ones. */
  readonly tests: 'none' | 'base_version' | 'patch_version' | 'both_versions' | 'reaching' | 'hidden';
  /** What is changed of the code, or of what it runs in. */
  readonly perturbation:
    | 'none'
    | 'hunk_revert'
    | 'base_answers'
    | 'environment'
    | 'stubs'
    | 'return_values'
    | 'inputs'
    | 'mutants';
  /** Settings that must be on. */
  readonly needs: readonly ('mutants' | 'perturbed_environment')[];
  /** `undecided`: only while nothing holds the patch, since its answer could not change the outcome any more. */
  readonly when: 'always' | 'undecided';
  /** Whether there is something to ask. */
  readonly applies: (context: ExperimentContext) => boolean;
  /** Runs it. @throws BudgetSpentError where it has nothing to say without the runs that are missing. */
  readonly run: (context: ExperimentContext) => Promise<ExperimentResult>;
}
