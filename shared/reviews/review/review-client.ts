import { createHash } from 'node:crypto';
import type { SimulatedReviewClient } from '../../contract/review/review-settings.ts';

export interface SimulatedClientReviewInput {
  /** What the work is said to be. */
  readonly deliverable: string;
  readonly criteria: readonly string[];
}

/** Reason of a client to reject the work. */
export type SimulatedClientRejection =
  | { readonly code: 'too_short'; readonly minimum: number }
  | { readonly code: 'low_score'; readonly mean: number }
  | { readonly code: 'missing_criteria' | 'too_thin' | 'criteria_not_named' };

/** The answer of a client; `rejection` is null where it accepts. */
export interface SimulatedClientFeedback {
  readonly rejection: SimulatedClientRejection | null;
  readonly unmet: readonly string[];
}

export function describeRejection(rejection: SimulatedClientRejection): string {
  switch (rejection.code) {
    case 'too_short':
      return `says too little of the work: fewer than ${rejection.minimum} characters`;
    case 'low_score':
      return `scores it ${rejection.mean.toFixed(2)}`;
    case 'criteria_not_named':
      return 'misses criteria in what the work is said to be';
    case 'too_thin':
      return 'says too little of the work';
    case 'missing_criteria':
      return 'misses criteria';
  }
}

const lengthOf = (text: string): number => [...text.trim()].length;

/** Not within a longer word: of any script, so `\b` would not do. */
const saysWhole = (text: string, words: string): boolean => {
  const escaped = words.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
};

/** 1 where the criterion stands in the text, else between 0.3 and 0.8, the same each time. */
function scoreOf(text: string, criterion: string): number {
  if (text.includes(criterion)) return 1;
  const drawn = createHash('sha256').update(text).update('\0').update(criterion).digest().readBigUInt64BE(0);
  return 0.3 + (0.5 * Number(drawn % 1_000n)) / 1_000;
}

/** Least score that a criterion may have. */
const LEAST = 0.7;

const STRATEGIES: Readonly<
  Record<
    SimulatedReviewClient['strategy'],
    (shown: SimulatedClientReviewInput, strictness: number) => SimulatedClientFeedback
  >
> = {
  binary: ({ deliverable, criteria }, strictness) => {
    const least = Math.max(20, Math.floor(20 * Math.max(1, criteria.length) * strictness));
    return lengthOf(deliverable) >= least
      ? { rejection: null, unmet: [] }
      : { rejection: { code: 'too_short', minimum: least }, unmet: [] };
  },
  scored: ({ deliverable, criteria }, strictness) => {
    const scores = criteria.map((criterion) => ({ criterion, score: scoreOf(deliverable, criterion) }));
    const mean = scores.reduce((sum, { score }) => sum + score, 0) / Math.max(1, scores.length);
    const unmet = scores.flatMap(({ criterion, score }) => (score < LEAST ? [criterion] : []));
    const isEnough = scores.length === 0 || mean >= Math.min(1, LEAST * strictness);
    return isEnough && unmet.length === 0
      ? { rejection: null, unmet }
      : { rejection: { code: 'low_score', mean }, unmet };
  },
  criteria_check: ({ deliverable, criteria }) => {
    const unmet = criteria.filter((criterion) => !saysWhole(deliverable, criterion));
    return { rejection: unmet.length === 0 ? null : { code: 'criteria_not_named' }, unmet };
  },
  adversarial: ({ deliverable, criteria }) => {
    const unmet = criteria.filter((criterion) => !deliverable.includes(criterion));
    const words = new Set(deliverable.toLowerCase().split(/\s+/).filter(Boolean));
    const isThin = lengthOf(deliverable) < 200 || words.size < 30;
    return {
      rejection: isThin ? { code: 'too_thin' } : unmet.length > 0 ? { code: 'missing_criteria' } : null,
      unmet,
    };
  },
};

export const getSimulatedClientFeedback = (
  { strategy, strictness }: SimulatedReviewClient,
  shown: SimulatedClientReviewInput,
): SimulatedClientFeedback => STRATEGIES[strategy](shown, strictness);

/** Whose turn it is with an attempt: one after the other. */
export const clientForAttempt = (
  pool: readonly SimulatedReviewClient[],
  attempt: number,
): SimulatedReviewClient | undefined => pool[(attempt - 1) % Math.max(1, pool.length)];
