/** Milliseconds between two questions: soon after a change, seldom when nothing happens, and less and less when nobody answers. */
export const POLL_INTERVALS = { soonest: 2_000, latest: 15_000, away: 30_000 } as const;

export type PollOutcome = 'changed' | 'same' | 'away';

/** How long to wait until the next question, after one with this outcome and a wait of `before`. */
export function nextPollInterval(before: number, outcome: PollOutcome): number {
  if (outcome === 'changed') return POLL_INTERVALS.soonest;
  const most = outcome === 'away' ? POLL_INTERVALS.away : POLL_INTERVALS.latest;
  return Math.min(most, Math.round(Math.max(before, POLL_INTERVALS.soonest) * 1.5));
}
