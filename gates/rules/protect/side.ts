import type { ProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import type { Entry } from '../../../workspace/git/changes.ts';

/** A path on both sides of the patch. */
export interface Side {
  readonly path: string;
  readonly base: Entry | null;
  readonly head: Entry | null;
}

/** What the patch does to it. */
export const kindOf = ({ base, head }: Side): ProtectedFile['change'] =>
  base === null ? 'added' : head === null ? 'deleted' : 'modified';
