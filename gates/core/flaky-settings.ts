import * as z from 'zod';

/** The keys of the tests gate for tests that fail now and then. */
export const FLAKY_SETTINGS = {
  flaky_detection: z.boolean().optional(),
  /** Runs that a test needs before anything is said of it. */
  flaky_min_runs: z.number().int().min(2).max(50).optional(),
  /** Share of failures, by weight, from which a test is flaky. */
  flaky_threshold: z.number().gt(0).max(1).optional(),
};

export interface FlakySettings {
  readonly minRuns: number;
  readonly threshold: number;
}

const DEFAULTS: FlakySettings = { minRuns: 5, threshold: 0.15 };

/** Null: it is switched off. */
export function readFlakySettings(settings: Readonly<Record<string, unknown>>): FlakySettings | null {
  const { flaky_detection, flaky_min_runs, flaky_threshold } =
    z.object(FLAKY_SETTINGS).safeParse(settings).data ?? {};
  if (flaky_detection !== true) return null;
  return {
    minRuns: flaky_min_runs ?? DEFAULTS.minRuns,
    threshold: flaky_threshold ?? DEFAULTS.threshold,
  };
}
