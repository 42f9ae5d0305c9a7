import type { Seen } from '../../code/seen.ts';
import type { Subject } from '../../engine/subject.ts';
import type { Execution } from '../execution.ts';
import type { Surroundings } from '../test-run.ts';
import type { BehaviourSettings } from './settings.ts';

/** How a run differs from the first one. */
export interface RunOptions {
  readonly surroundings?: Surroundings;
  /** Time for it, in milliseconds, where that is less than what the gate has left. */
  readonly limitMs?: number;
}

/** Runs the tests on another tree. */
export type Again = (tree: string, options?: RunOptions) => Promise<Execution>;

/** What runs that go beyond the patch's own tests and the base's are asked with. */
export interface FurtherTerms {
  readonly subject: Subject;
  /** Run of the patch with its own tests, which passed. */
  readonly run: Execution;
  readonly again: Again;
  readonly behaviour: BehaviourSettings;
}

export interface Further {
  readonly seen: readonly Seen[];
  readonly facts: Readonly<Record<string, string | number>>;
}

export const NOTHING: Further = { seen: [], facts: {} };
