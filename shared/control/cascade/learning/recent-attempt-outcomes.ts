import type { LearnedAttemptOutcome } from './attempt-outcomes.ts';

/** Outcomes that are remembered for one role, complexity and tier: enough for an estimate, few enough to forget a model's earlier days. */
export const MAX_RECENT_ATTEMPT_OUTCOMES = 50;

/** The latest first. */
export type RecentAttemptOutcomes = readonly LearnedAttemptOutcome[];

const byNewestFirst = (a: LearnedAttemptOutcome, b: LearnedAttemptOutcome): number =>
  a.at === b.at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.at < b.at ? 1 : -1;

/**
 * The latest outcomes of all that are given, each id once; of two that say something else under one id, the first that is given counts.
 * So the order and the number of deliveries make no difference: what has slid out is older than all that is left, and does not come back.
 */
export function selectLatestAttemptOutcomes(
  outcomes: Iterable<LearnedAttemptOutcome>,
  limit = MAX_RECENT_ATTEMPT_OUTCOMES,
): RecentAttemptOutcomes {
  const byId = new Map<string, LearnedAttemptOutcome>();
  for (const outcome of outcomes) if (!byId.has(outcome.id)) byId.set(outcome.id, outcome);
  return [...byId.values()].sort(byNewestFirst).slice(0, limit);
}

/** The window with one more outcome; null when that changes nothing. */
export function addToRecentAttemptOutcomes(
  window: RecentAttemptOutcomes,
  outcome: LearnedAttemptOutcome,
  limit = MAX_RECENT_ATTEMPT_OUTCOMES,
): RecentAttemptOutcomes | null {
  if (window.some(({ id }) => id === outcome.id)) return null;
  const next = selectLatestAttemptOutcomes([...window, outcome], limit);
  return next.some(({ id }) => id === outcome.id) ? next : null;
}
