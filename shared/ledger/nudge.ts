import type { VerificationNudge } from '../api/schemas.ts';

export const DEFAULT_NUDGE_THRESHOLD = 0.3;
export const DEFAULT_MIN_COMPLETIONS = 3;
/** How many of the latest unverified tasks are named. */
export const RECENT_UNVERIFIED = 5;

export interface NudgeCounts {
  readonly verified: number;
  readonly unverified: number;
  /** Newest first. */
  readonly recentUnverified: readonly string[];
}

/** The seed's summary. The comparison is strict and needs a minimum of completions, so that one unverified task of one is no alarm. */
export function summarise(
  counts: NudgeCounts,
  threshold: number = DEFAULT_NUDGE_THRESHOLD,
  minCompletions: number = DEFAULT_MIN_COMPLETIONS,
): VerificationNudge {
  const total = counts.verified + counts.unverified;
  const ratio = total === 0 ? null : counts.unverified / total;
  return {
    total_completions: total,
    verified_count: counts.verified,
    unverified_count: counts.unverified,
    unverified_ratio: ratio === null ? null : Math.round(ratio * 1_000) / 1_000,
    threshold_exceeded: ratio !== null && total >= minCompletions && ratio > threshold,
    nudge_threshold: threshold,
    min_completions: minCompletions,
    recent_unverified: counts.recentUnverified.slice(0, RECENT_UNVERIFIED),
  };
}
