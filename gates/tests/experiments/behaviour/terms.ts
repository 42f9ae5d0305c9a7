import type { BehaviourSettings, MutantSettings } from '../../../core/behaviour-settings.ts';
import type { FindingSeverity, GateFinding } from '../../../core/gate-finding.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import type { GetBaselineResult } from '../../comparing/baseline-lookup.ts';
import type { BaselineResult } from '../../comparing/baseline-result.ts';
import type { CommandRun, EnvironmentOverrides } from '../../running/command-run.ts';
import type { Bodies } from './bodies.ts';
import type { ExecutedDifference } from './executed.ts';

/** How a run differs from the first one. */
export interface RunOptions {
  readonly surroundings?: EnvironmentOverrides;
  /** Time for it, in milliseconds, where that is less than what the gate has left. */
  readonly limitMs?: number;
}

/** Runs the tests on another tree. */
export type Again = (tree: string, options?: RunOptions) => Promise<CommandRun>;

/** What runs that go beyond the patch's own tests and the base's are asked with. */
export interface FurtherTerms {
  readonly subject: PatchSubject;
  /** Run of the patch with its own tests, which passed. */
  readonly run: CommandRun;
  readonly again: Again;
  readonly behaviour: BehaviourSettings;
  /** What became of the tests that ran on the base. */
  readonly difference: ExecutedDifference;
}

/**
 * Never runs the same tree in the same surroundings twice.
 * @param mostMs time for a run that names none, in milliseconds: tests of one side may wait for ever for what the other has.
 */
export function onceEach(again: Again, mostMs: number): Again {
  const known = new Map<string, Promise<CommandRun>>();
  return (tree, options = {}) => {
    if (options.limitMs !== undefined) return again(tree, options);
    const key = JSON.stringify([tree, options.surroundings ?? {}]);
    const run = known.get(key) ?? again(tree, { ...options, limitMs: mostMs });
    known.set(key, run);
    return run;
  };
}

export interface Further {
  readonly seen: readonly GateFinding[];
  readonly facts: Readonly<Record<string, string | number>>;
}

export const NOTHING: Further = { seen: [], facts: {} };

/** What may be foreseen of tests: that they are written in another way, or that they come to expect something else. */
export type OfTests = 'tests_change' | 'expectations_change';

/** What whoever asked for the work foresees of tests; null: he said nothing of what he foresees. */
export type TestsForeseen = ReadonlySet<OfTests> | null;

/**
 * What protection weighs that went away: a note where just that was foreseen, no honest work at all where no test was to change, and
 * else for a person. Tests that are written anew ask for the same as before, and where they expect something else none has to go.
 */
export const weightOf = (foreseen: TestsForeseen, what: OfTests): FindingSeverity => {
  if (foreseen === null) return 'unclear';
  if (foreseen.has(what)) return 'reported';
  return foreseen.size === 0 ? 'fails' : 'unclear';
};

export interface BehaviourTerms {
  readonly subject: PatchSubject;
  /** Run of the patch with its own tests, which passed. */
  readonly run: CommandRun;
  /** Asks the base the same. */
  readonly base: GetBaselineResult;
  readonly foreseen: TestsForeseen;
  /** Runs the tests on another tree. */
  readonly again: Again;
  /** What the changed tests ask less than before, as far as they can be read. */
  readonly weakened: () => Promise<readonly GateFinding[]>;
  /** Null: none are tried. */
  readonly mutants: MutantSettings | null;
}

/** What is known when tests of the base fail on the new code. */
export interface Known extends BehaviourTerms {
  readonly onBase: BaselineResult | null;
  readonly bodies: Bodies;
  readonly difference: ExecutedDifference;
}
