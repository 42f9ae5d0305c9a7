import { createDiffCache } from './diff-cache.ts';
import { type GitStore, runGitInStoreOrThrow } from './git-store.ts';
import { decodePath } from './path-encoding.ts';

/** A file as a tree holds it; `mode` as git writes it, e.g. `100644`. */
export interface GitTreeEntry {
  readonly id: string;
  readonly mode: string;
}

export interface FileChange {
  /** Path in the new tree, or in the base when it was deleted (see path-bytes.ts). */
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Path in the base, for a rename. */
  readonly previousPath: string | null;
  /** Null when it was added. */
  readonly baseEntry: GitTreeEntry | null;
  /** Null when it was deleted. */
  readonly headEntry: GitTreeEntry | null;
}

const changes = createDiffCache<readonly FileChange[]>();

/** The changed files between two trees, by path. Renames are found by content, as git does. */
export const listFileChanges = (
  store: GitStore,
  base: string,
  tree: string,
): Promise<readonly FileChange[]> =>
  changes(store, base, tree, async () =>
    parseRawDiff(
      await runGitInStoreOrThrow(store, ['diff-tree', '-r', '-z', '--raw', '--find-renames', base, tree]),
    ),
  );

const NOTHING = /^0+$/;

/** Parses `git diff-tree -r -z --raw`. */
export function parseRawDiff(raw: Buffer): FileChange[] {
  const fields = splitNul(raw);
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [baseMode = '', headMode = '', baseId = '', headId = '', status = ''] = (fields[at] ?? '')
      .slice(1)
      .split(' ');
    const moved = status.startsWith('R') || status.startsWith('C');
    const first = fields[at + 1] ?? '';
    const second = moved ? (fields[at + 2] ?? '') : first;
    at += moved ? 3 : 2;
    const base = NOTHING.test(baseMode) ? null : { id: baseId, mode: baseMode };
    const head = NOTHING.test(headMode) ? null : { id: headId, mode: headMode };
    changes.push({
      path: second,
      kind: moved ? 'renamed' : base ? (head ? 'modified' : 'deleted') : 'added',
      previousPath: moved ? first : null,
      baseEntry: base,
      headEntry: head,
    });
  }
  return changes;
}

function splitNul(raw: Buffer): string[] {
  const fields: string[] = [];
  for (let from = 0; from < raw.length; ) {
    const end = raw.indexOf(0, from);
    const stop = end < 0 ? raw.length : end;
    fields.push(decodePath(raw.subarray(from, stop)));
    from = stop + 1;
  }
  return fields;
}

/** Every path that a change touches: for a rename the old one too. */
export const listTouchedPaths = (changes: readonly FileChange[]): string[] => [
  ...new Set(
    changes.flatMap((change) =>
      change.previousPath === null ? [change.path] : [change.previousPath, change.path],
    ),
  ),
];

/** Path of a change in the base, or null when the base does not have it. */
export const getPathInBase = (change: FileChange): string | null =>
  change.baseEntry === null ? null : (change.previousPath ?? change.path);
