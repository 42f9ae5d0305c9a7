import type { ChangedProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import type { GitTreeEntry } from '../../../workspace/git/file-changes.ts';

/** A path on both sides of the patch. */
export interface ChangedPathEntries {
  readonly path: string;
  readonly base: GitTreeEntry | null;
  readonly head: GitTreeEntry | null;
}

/** What the patch does to it. */
export const classifyChange = ({ base, head }: ChangedPathEntries): ChangedProtectedFile['change'] =>
  base === null ? 'added' : head === null ? 'deleted' : 'modified';
