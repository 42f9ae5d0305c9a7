import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { mapConcurrently } from '../../shared/lib/map-concurrently.ts';

/** One gate, ready to run. */
export interface GateJob {
  /** Runs before all others, not beside them. */
  readonly runsFirst: boolean;
  /** Never rejects. */
  readonly run: () => Promise<GateEvidence>;
}

/**
 * Runs formatters one after the other, then everything else side by side.
 * @param beside further jobs, which begin before the gates.
 * @param limit jobs at once.
 * @returns the results in the order of `jobs`, whatever ended first.
 */
export async function runGateJobs(
  jobs: readonly GateJob[],
  beside: readonly (() => Promise<void>)[],
  limit: number,
): Promise<GateEvidence[]> {
  const results: GateEvidence[] = [];
  const place = async (job: GateJob, index: number): Promise<void> => {
    results[index] = await job.run();
  };
  const numbered = jobs.map((job, index) => ({ job, index }));
  for (const { job, index } of numbered) if (job.runsFirst) await place(job, index);
  const others = numbered.filter(({ job }) => !job.runsFirst);
  const concurrent = [
    ...beside,
    ...others.map(
      ({ job, index }) =>
        () =>
          place(job, index),
    ),
  ];
  await mapConcurrently(limit, concurrent, (run) => run());
  return results;
}
