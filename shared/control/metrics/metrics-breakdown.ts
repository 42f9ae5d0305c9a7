import type { DerivedRow } from '../ledger/derive-rows.ts';
import { addHistograms, addToHistogram, type Histogram } from './histogram.ts';

/** Some attempts: how many, how many were accepted, and what they cost as far as it is known. */
export interface AttemptTotals {
  readonly count: number;
  readonly success: number;
  readonly cost_usd: number;
  readonly with_cost: number;
}

/** How a gate's word has held against a person's. */
export interface GateAccuracy {
  /** Held work that a person then looked at. */
  readonly held: number;
  /** Of it: approved all the same. */
  readonly false_blocks: number;
  /** Work that it had passed, and that was rejected or taken back later. */
  readonly false_greens: number;
}

/** Work of one author: tasks that came to their goal or failed, and what became of it. */
export interface AuthorTotals extends AttemptTotals {
  readonly merged: number;
  readonly reverted: number;
}

/** Sums of a day beside those of `Figures`. */
export interface MetricsBreakdown {
  readonly completions: { readonly verified: number; readonly unverified: number };
  /** Against going straight to the top model, over the chains of which it is known; may be negative. */
  readonly saved: { readonly usd: number; readonly known: number; readonly unknown: number };
  readonly tiers: Readonly<Record<string, AttemptTotals>>;
  readonly repositories: Readonly<Record<string, AttemptTotals>>;
  /** Tasks by the author of the work: a bot's login, `people`, or `assay`. */
  readonly authors: Readonly<Record<string, AuthorTotals>>;
  /** Attempts by what became of them: cost by verdict. */
  readonly outcomes: Readonly<Record<string, AttemptTotals>>;
  /** Seconds from submission until somebody first claimed the task. */
  readonly queue: { readonly count: number; readonly by_seconds: Histogram };
  readonly words: Readonly<Record<string, GateAccuracy>>;
}

export const EMPTY_METRICS_BREAKDOWN: MetricsBreakdown = {
  completions: { verified: 0, unverified: 0 },
  saved: { usd: 0, known: 0, unknown: 0 },
  tiers: {},
  repositories: {},
  authors: {},
  outcomes: {},
  queue: { count: 0, by_seconds: {} },
  words: {},
};

const NO_WORD: GateAccuracy = { held: 0, false_blocks: 0, false_greens: 0 };

/** Names that one sum tells apart, and characters of each: names are anybody's words, and an item must not grow with them. */
const MAX_NAMES = 60;
const MAX_REPOSITORIES = 100;
/** Authors of pull requests, likewise: anybody may open one. */
const MAX_AUTHORS = 50;
const MAX_NAME_CHARS = 200;
const OTHERS = 'others';
/** The client of the table reads this one back as the prototype of an object. */
const UNSTORABLE_NAME = '__proto__';

type Sums = Readonly<Record<string, number>>;
const added = <T extends Sums>(a: T, b: T): T =>
  Object.fromEntries(Object.keys(a).map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)])) as unknown as T;

/** Adds sums by name. Names beyond the first `most` are counted together as `others`. */
export function addNamedSums<T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  add: (x: T, y: T) => T,
  most: number = MAX_NAMES,
): Record<string, T> {
  const result = new Map(Object.entries(a));
  for (const [name, value] of Object.entries(b)) {
    const short = name === UNSTORABLE_NAME ? OTHERS : name.slice(0, MAX_NAME_CHARS);
    const key = result.has(short) || result.size < most ? short : OTHERS;
    const present = result.get(key);
    result.set(key, present === undefined ? value : add(present, value));
  }
  return Object.fromEntries(result);
}

const addPart = (a: AttemptTotals, b: AttemptTotals): AttemptTotals =>
  added(a as AttemptTotals & Sums, b as AttemptTotals & Sums);
const addAuthor = (a: AuthorTotals, b: AuthorTotals): AuthorTotals =>
  added(a as AuthorTotals & Sums, b as AuthorTotals & Sums);
const addWord = (a: GateAccuracy, b: GateAccuracy): GateAccuracy =>
  added(a as GateAccuracy & Sums, b as GateAccuracy & Sums);

export const addMetricsBreakdowns = (a: MetricsBreakdown, b: MetricsBreakdown): MetricsBreakdown => ({
  completions: added(a.completions, b.completions),
  saved: added(a.saved, b.saved),
  tiers: addNamedSums(a.tiers, b.tiers, addPart),
  repositories: addNamedSums(a.repositories, b.repositories, addPart, MAX_REPOSITORIES),
  authors: addNamedSums(a.authors, b.authors, addAuthor, MAX_AUTHORS),
  outcomes: addNamedSums(a.outcomes, b.outcomes, addPart),
  queue: {
    count: a.queue.count + b.queue.count,
    by_seconds: addHistograms(a.queue.by_seconds, b.queue.by_seconds),
  },
  words: addNamedSums(a.words, b.words, addWord),
});

const partOf = ({ success, cost_usd }: { success: boolean; cost_usd: number | null }): AttemptTotals => ({
  count: 1,
  success: success ? 1 : 0,
  cost_usd: cost_usd ?? 0,
  with_cost: cost_usd === null ? 0 : 1,
});

/** The first time that somebody takes a task: later claims wait for other things. */
const isFirstClaim = (row: { status: string; previous_status: string | null; attempt: number }): boolean =>
  row.status === 'claimed' && row.previous_status === 'open' && row.attempt <= 1;

/** What one record adds; null: nothing. */
function breakdownOf(derived: DerivedRow): Partial<MetricsBreakdown> | null {
  switch (derived.table) {
    case 'verification_nudges': {
      const { verified } = derived.row;
      return { completions: { verified: verified ? 1 : 0, unverified: verified ? 0 : 1 } };
    }
    case 'cascade_chains': {
      const usd = derived.row.saved_vs_direct_opus_usd;
      const { author, status, succeeded: success, total_cost_usd: cost_usd } = derived.row;
      const part = { ...partOf({ success, cost_usd }), merged: 0, reverted: 0 };
      return {
        saved: { usd: usd ?? 0, known: usd === null ? 0 : 1, unknown: usd === null ? 1 : 0 },
        // Of work that was cancelled, nothing is known.
        ...(status !== 'cancelled' && { authors: { [author.slice(0, 100)]: part } }),
      };
    }
    case 'cascade_attempts': {
      const { tier, repository, outcome } = derived.row;
      const part = partOf(derived.row);
      return {
        tiers: { [tier ?? 'none']: part },
        repositories: { [repository.slice(0, 200)]: part },
        outcomes: { [outcome ?? 'unknown']: part },
      };
    }
    case 'tasks':
      return isFirstClaim(derived.row)
        ? { queue: { count: 1, by_seconds: addToHistogram({}, derived.row.age_ms / 1_000) } }
        : null;
    case 'reviews': {
      const { decision, blocking_gates, passed_gates } = derived.row;
      if (decision === null) return null;
      const held = blocking_gates.map((gate): [string, GateAccuracy] => [
        gate,
        { held: 1, false_blocks: decision === 'approve' ? 1 : 0, false_greens: 0 },
      ]);
      const passed = decision === 'reject' ? passed_gates : [];
      const green = passed.map((gate): [string, GateAccuracy] => [gate, { ...NO_WORD, false_greens: 1 }]);
      return { words: addNamedSums(Object.fromEntries(held), Object.fromEntries(green), addWord) };
    }
    case 'work_outcomes': {
      const { outcome, passed_gates, author } = derived.row;
      // Closed may have many reasons.
      if (outcome !== 'reverted' && outcome !== 'merged') return null;
      const none = { count: 0, success: 0, cost_usd: 0, with_cost: 0, merged: 0, reverted: 0 };
      const authors = { [author.slice(0, 100)]: { ...none, [outcome]: 1 } };
      // Merged is no news of a gate.
      if (outcome === 'merged') return { authors };
      return {
        authors,
        words: Object.fromEntries(
          passed_gates.map((gate): [string, GateAccuracy] => [gate, { ...NO_WORD, false_greens: 1 }]),
        ),
      };
    }
    default:
      return null;
  }
}

export const isInMetricsBreakdown = (derived: DerivedRow): boolean => breakdownOf(derived) !== null;

/** Adds what one record says beside the figures that were there before. */
export function addRecordToBreakdown(sum: MetricsBreakdown, derived: DerivedRow): MetricsBreakdown {
  const one = breakdownOf(derived);
  return one === null ? sum : addMetricsBreakdowns(sum, { ...EMPTY_METRICS_BREAKDOWN, ...one });
}
