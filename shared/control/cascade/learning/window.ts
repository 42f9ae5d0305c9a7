import type { LearnedOutcome } from './outcome.ts';

/** Outcomes that are remembered for one role, complexity and tier: enough for an estimate, few enough to forget a model's earlier days. */
export const WINDOW = 50;

/** The latest first. */
export type Window = readonly LearnedOutcome[];

const later = (a: LearnedOutcome, b: LearnedOutcome): number =>
  a.at === b.at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.at < b.at ? 1 : -1;

/**
 * The latest outcomes of all that are given, each id once; of two that say something else under one id, the first that is given counts.
 * So the order and the number of deliveries make no difference: what has slid out is older than all that is left, and does not come back.
 */
export function latest(outcomes: Iterable<LearnedOutcome>, limit = WINDOW): Window {
  const byId = new Map<string, LearnedOutcome>();
  for (const outcome of outcomes) if (!byId.has(outcome.id)) byId.set(outcome.id, outcome);
  return [...byId.values()].sort(later).slice(0, limit);
}

/** The window with one more outcome; null when that changes nothing. */
export function observe(window: Window, outcome: LearnedOutcome, limit = WINDOW): Window | null {
  if (window.some(({ id }) => id === outcome.id)) return null;
  const next = latest([...window, outcome], limit);
  return next.some(({ id }) => id === outcome.id) ? next : null;
}
