import * as z from 'zod';

/** The keys of the tests gate for tests that fail now and then. */
export const FLAKY_TEST_SETTING_SCHEMAS = {
  flaky_detection: z.boolean().optional(),
  /** Runs that a test needs before anything is said of it. */
  flaky_min_runs: z.number().int().min(2).max(50).optional(),
  /** Share of failures, by weight, from which a test is flaky. */
  flaky_threshold: z.number().gt(0).max(1).optional(),
};

export interface FlakyTestSettings {
  readonly minRuns: number;
  readonly threshold: number;
}

const DEFAULTS: FlakyTestSettings = { minRuns: 5, threshold: 0.15 };

/** Null: it is switched off. */
export function readFlakyTestSettings(settings: Readonly<Record<string, unknown>>): FlakyTestSettings | null {
  const { flaky_detection, flaky_min_runs, flaky_threshold } =
    z.object(FLAKY_TEST_SETTING_SCHEMAS).safeParse(settings).data ?? {};
  if (flaky_detection !== true) return null;
  return {
    minRuns: flaky_min_runs ?? DEFAULTS.minRuns,
    threshold: flaky_threshold ?? DEFAULTS.threshold,
  };
}
