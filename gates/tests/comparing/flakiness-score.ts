import type { FlakySettings } from '../../core/flaky-settings.ts';

/** One run of one test. */
export interface TestRunRecord {
  readonly failed: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The task or the base commit that it was run for. */
  readonly source: string;
}

/** Runs of this age and less count twice, in milliseconds. */
const RECENT_MS = 7 * 24 * 3_600_000;
const RECENT_WEIGHT = 2;
/** What decides on the end of a quarantine. */
const RELEASE_RUNS = 20;
const RELEASE_SCORE = 0.02;

/** Share of failures among runs, by weight, between 0 and 1; 0 for no runs. */
export function computeFlakinessScore(runs: readonly TestRunRecord[], now: number): number {
  let all = 0;
  let failed = 0;
  for (const run of runs) {
    const weight = now - run.at <= RECENT_MS ? RECENT_WEIGHT : 1;
    all += weight;
    if (run.failed) failed += weight;
  }
  return all === 0 ? 0 : failed / all;
}

/** Whether a test passes and fails often enough to be called flaky. */
export const isFlaky = (
  runs: readonly TestRunRecord[],
  now: number,
  { minRuns, threshold }: FlakySettings,
): boolean =>
  runs.length >= minRuns &&
  runs.some(({ failed }) => failed) &&
  runs.some(({ failed }) => !failed) &&
  computeFlakinessScore(runs, now) >= threshold;

/**
 * Whether a test is to be quarantined: it is flaky, and is so without any single one of the sources of its failures. So no task can
 * bring that about alone, and none ever counts for itself.
 */
export function shouldQuarantine(
  runs: readonly TestRunRecord[],
  now: number,
  settings: FlakySettings,
): boolean {
  const sources = new Set(runs.flatMap(({ failed, source }) => (failed ? [source] : [])));
  return (
    sources.size > 1 &&
    [null, ...sources].every((without) =>
      isFlaky(
        runs.filter(({ source }) => source !== without),
        now,
        settings,
      ),
    )
  );
}

/** Whether a quarantined test has been good for long enough. */
export function shouldReleaseFromQuarantine(runs: readonly TestRunRecord[], now: number): boolean {
  const last = runs.slice(-RELEASE_RUNS);
  return last.length === RELEASE_RUNS && computeFlakinessScore(last, now) <= RELEASE_SCORE;
}
