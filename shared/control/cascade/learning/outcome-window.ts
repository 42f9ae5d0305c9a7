import type { LearnedOutcome } from './learned-outcome.ts';

/** Outcomes that are remembered for one role, complexity and tier: enough for an estimate, few enough to forget a model's earlier days. */
export const OUTCOME_WINDOW_SIZE = 50;

/** The latest first. */
export type OutcomeWindow = readonly LearnedOutcome[];

const byNewestFirst = (a: LearnedOutcome, b: LearnedOutcome): number =>
  a.at === b.at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.at < b.at ? 1 : -1;

/**
 * The latest outcomes of all that are given, each id once; of two that say something else under one id, the first that is given counts.
 * So the order and the number of deliveries make no difference: what has slid out is older than all that is left, and does not come back.
 */
export function latestOutcomes(
  outcomes: Iterable<LearnedOutcome>,
  limit = OUTCOME_WINDOW_SIZE,
): OutcomeWindow {
  const byId = new Map<string, LearnedOutcome>();
  for (const outcome of outcomes) if (!byId.has(outcome.id)) byId.set(outcome.id, outcome);
  return [...byId.values()].sort(byNewestFirst).slice(0, limit);
}

/** The window with one more outcome; null when that changes nothing. */
export function addOutcome(
  window: OutcomeWindow,
  outcome: LearnedOutcome,
  limit = OUTCOME_WINDOW_SIZE,
): OutcomeWindow | null {
  if (window.some(({ id }) => id === outcome.id)) return null;
  const next = latestOutcomes([...window, outcome], limit);
  return next.some(({ id }) => id === outcome.id) ? next : null;
}
