import * as z from 'zod';

/** Multiple of the suite's own time that experiments may take together. */
export const DEFAULT_EXPERIMENT_TIME_MULTIPLE = 1;

/**
 * Time limits of a gate that runs tests: one for the patch and its optional experiments, one for the base, and one for each required
 * experiment that runs tests.
 */
export const TEST_GATE_TIME_LIMIT_COUNT = 5;

/** Time limits of a gate that measures patch and base in up to five folders; a limit is of one run. */
export const COMPARING_GATE_TIME_LIMIT_COUNT = 10;

/** `advise`: a reason beside the verdict. `refer`: a reviewer decides. `off`: it is not asked. */
export const CHANGE_DEMONSTRATION_POLICIES = ['advise', 'refer', 'off'] as const;

/** Keys of `quality_gates` for experiments: extra runs of tests under changed conditions. */
export const TEST_EXPERIMENT_SETTING_SCHEMAS = {
  /** Time of all experiments together, as a multiple of what the suite takes; 10 s of CPU time at least. Required ones always run. */
  experiment_budget: z.number().min(0.1).max(1_000).optional(),
  /** Runs tests that the patch can break once more in another time zone, locale, host and user, and without `CI`. */
  perturbed_environment: z.boolean().optional(),
  /** What follows where no test fails on the base and passes with the patch. */
  change_demonstration: z.enum(CHANGE_DEMONSTRATION_POLICIES).optional(),
  mutants: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Most mutants that are tried of one kind. */
      max_mutants: z.number().int().min(1).max(1_000).default(12),
      /** Share of surviving mutants above which a patch with tests of its own needs review. */
      max_survivor_ratio: z.number().min(0).max(1).default(0.45),
    })
    .optional(),
};

export interface MutationExperimentSettings {
  readonly atMost: number;
  readonly maxSurvivorRatio: number;
}

export interface TestExperimentSettings {
  /** Multiple of the suite's own time. */
  readonly budget: number;
  readonly perturbedEnvironment: boolean;
  readonly changeDemonstration: (typeof CHANGE_DEMONSTRATION_POLICIES)[number];
  /** Null: no mutants, and nothing else that changes the code, is tried. */
  readonly mutants: MutationExperimentSettings | null;
}

const Settings = z.object(TEST_EXPERIMENT_SETTING_SCHEMAS);

/** The settings, with defaults for what is not set. */
export function readTestExperimentSettings(
  settings: Readonly<Record<string, unknown>>,
): TestExperimentSettings {
  const {
    experiment_budget = DEFAULT_EXPERIMENT_TIME_MULTIPLE,
    perturbed_environment = true,
    change_demonstration = 'advise',
    mutants,
  } = Settings.parse(settings);
  const { enabled = true, max_mutants: at_most = 12, max_survivor_ratio = 0.45 } = mutants ?? {};
  return {
    budget: experiment_budget,
    perturbedEnvironment: perturbed_environment,
    changeDemonstration: change_demonstration,
    mutants: enabled ? { atMost: at_most, maxSurvivorRatio: max_survivor_ratio } : null,
  };
}
