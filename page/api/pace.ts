/** Milliseconds between two questions: soon after a change, seldom when nothing happens, and less and less when nobody answers. */
export const PACE = { soonest: 2_000, latest: 15_000, away: 30_000 } as const;

export type Outcome = 'changed' | 'same' | 'away';

/** How long to wait until the next question, after one with this outcome and a wait of `before`. */
export function nextWait(before: number, outcome: Outcome): number {
  if (outcome === 'changed') return PACE.soonest;
  const most = outcome === 'away' ? PACE.away : PACE.latest;
  return Math.min(most, Math.round(Math.max(before, PACE.soonest) * 1.5));
}
