import { mustInStore, type Store } from './store.ts';

export interface Change {
  /** Path in the new tree, or in the base when it was deleted. */
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Path in the base, for a rename. */
  readonly from: string | null;
  /** Blob in the base, or null when it was added; its mode as git writes it, e.g. `100644`. */
  readonly base: { readonly id: string; readonly mode: string } | null;
  /** Blob in the new tree, or null when it was deleted. */
  readonly head: { readonly id: string; readonly mode: string } | null;
}

const NOTHING = /^0+$/;

/** The changed files between two trees, by path. Renames are found by content, as git does. */
export async function changesBetween(store: Store, base: string, tree: string): Promise<Change[]> {
  const raw = await mustInStore(store, ['diff-tree', '-r', '-z', '--raw', '--find-renames', base, tree]);
  return parseRaw(raw.toString('utf8'));
}

/** Parses `git diff-tree -r -z --raw`. */
export function parseRaw(raw: string): Change[] {
  const fields = raw.split('\0');
  const changes: Change[] = [];
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
      from: moved ? first : null,
      base,
      head,
    });
  }
  return changes;
}

/** Every path that a change touches: for a rename the old one too. */
export const touchedPaths = (changes: readonly Change[]): string[] => [
  ...new Set(
    changes.flatMap((change) => (change.from === null ? [change.path] : [change.from, change.path])),
  ),
];
