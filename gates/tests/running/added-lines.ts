import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import { createDiffCache } from '../../../workspace/git/diff-cache.ts';
import { type FileChange, listFileChanges } from '../../../workspace/git/file-changes.ts';
import { type GitStore, runGitInStoreOrThrow } from '../../../workspace/git/git-store.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Which lines of the new tree the patch wrote. */
export interface AddedLines {
  /** Whether the patch wrote a line; with `line` null, whether it changed the file at all. */
  isAdded(file: string, line: number | null): boolean;
}

/** Lines of the base that others of the patch stand for. Where a side has none, its line is the one before. */
export interface DiffHunk {
  readonly oldLine: number;
  readonly oldCount: number;
  readonly newLine: number;
  readonly newCount: number;
}

interface FileHunks {
  readonly hunks: DiffHunk[];
}

/**
 * Lines that `tree` has and `base` has not, as git's diff tells them. A changed file whose lines git does not compare, such as a
 * binary one, counts as written from end to end, and so do all of them when the diff is too large.
 */
export async function readAddedLines(store: GitStore, base: string, tree: string): Promise<AddedLines> {
  const byPath = await readDiffHunks(store, base, tree);
  return {
    isAdded: (file, line) => {
      const written = byPath.get(file);
      if (!written) return false;
      if (line === null || written.length === 0) return true;
      return written.some((hunk) => line >= hunk.newLine && line < hunk.newLine + hunk.newCount);
    },
  };
}

/** Paths of renamed files: in the base, and in the patched tree. */
export const getRenamedPaths = (changes: readonly FileChange[]): ReadonlyMap<string, string> =>
  new Map(
    changes.flatMap(({ kind, previousPath, path }) =>
      kind === 'renamed' && previousPath !== null ? [[previousPath, path] as const] : [],
    ),
  );

const hunks = createDiffCache<ReadonlyMap<string, readonly DiffHunk[]>>();

/** The hunks of each changed file, by its path in the tree; none where git does not compare it. */
export const readDiffHunks = (
  store: GitStore,
  base: string,
  tree: string,
): Promise<ReadonlyMap<string, readonly DiffHunk[]>> =>
  hunks(store, base, tree, () => compareDiffHunks(store, base, tree));

async function compareDiffHunks(
  store: GitStore,
  base: string,
  tree: string,
): Promise<ReadonlyMap<string, readonly DiffHunk[]>> {
  const [changes, files] = await Promise.all([
    listFileChanges(store, base, tree),
    readFileHunks(store, base, tree),
  ]);
  // Both list the same changes in the same order; names are taken from the list, because a diff quotes them.
  const known = files?.length === changes.length ? files : null;
  return new Map(changes.map(({ path }, index) => [path, known?.[index]?.hunks ?? []]));
}

async function readFileHunks(store: GitStore, base: string, tree: string): Promise<FileHunks[] | null> {
  const args = ['diff-tree', '-r', '-p', '-U0', '--no-color', '--no-ext-diff', '--find-renames', base, tree];
  try {
    return parseDiffHunks(await runGitInStoreOrThrow(store, args));
  } catch (error) {
    if (error instanceof CheckoutError) return null;
    throw error;
  }
}

/** Parses `git diff-tree -p -U0`: what each file's hunks add. */
export function parseDiffHunks(diff: Buffer): FileHunks[] {
  const files: FileHunks[] = [];
  for (let from = 0; from < diff.length; ) {
    const end = diff.indexOf(0x0a, from);
    const stop = end < 0 ? diff.length : end;
    // Content begins with a plus, a minus or a backslash, so it is never taken for a header.
    if (diff[from] === 0x40 || diff[from] === 0x64) {
      const line = diff.toString('latin1', from, Math.min(stop, from + 120));
      if (line.startsWith('diff --git ')) files.push({ hunks: [] });
      const match = HUNK.exec(line);
      if (match) {
        const [oldLine, oldCount, own, count] = match.slice(1).map((each) => Number(each ?? 1));
        files.at(-1)?.hunks.push({
          oldLine: oldLine ?? 0,
          oldCount: oldCount ?? 1,
          newLine: own ?? 0,
          newCount: count ?? 1,
        });
      }
    }
    from = stop + 1;
  }
  return files;
}
