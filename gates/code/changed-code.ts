import type { FileChange } from '../../workspace/git/file-changes.ts';
import { getPathInBase } from '../../workspace/git/file-changes.ts';
import type { CodeFile } from './code-files.ts';
import type { ProjectCodeRevisions } from './project-code.ts';

/** A file of code that a patch touches, on both sides. */
export interface ChangedCodeFile {
  /** Path in the new tree, or in the base when it is gone. */
  readonly path: string;
  /** Null when it was no code, or was not there. */
  readonly before: CodeFile | null;
  readonly after: CodeFile | null;
}

/** The code among the changes; a rename is one file with two paths. */
export const listChangedCodeFiles = (
  project: ProjectCodeRevisions,
  changes: readonly FileChange[],
): ChangedCodeFile[] =>
  changes.flatMap((change) => {
    const from = getPathInBase(change);
    const before = (from === null ? null : project.base.files.code.get(from)) ?? null;
    const after = (change.headEntry === null ? null : project.head.files.code.get(change.path)) ?? null;
    return before || after ? [{ path: change.path, before, after }] : [];
  });
