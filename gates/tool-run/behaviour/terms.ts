import type { Seen } from '../../code/seen.ts';
import type { Subject } from '../../engine/subject.ts';
import type { Execution } from '../execution.ts';
import type { Surroundings } from '../test-run.ts';
import type { BehaviourSettings } from './settings.ts';

/** What runs that go beyond the patch's own tests and the base's are asked with. */
export interface FurtherTerms {
  readonly subject: Subject;
  /** Run of the patch with its own tests, which passed. */
  readonly run: Execution;
  readonly again: (tree: string, surroundings?: Surroundings) => Promise<Execution>;
  readonly behaviour: BehaviourSettings;
}

export interface Further {
  readonly seen: readonly Seen[];
  readonly facts: Readonly<Record<string, string | number>>;
}

export const NOTHING: Further = { seen: [], facts: {} };
