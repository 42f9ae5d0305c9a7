import { type FileChange, type GitTreeEntry, getPathInBase } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { isRegularFile } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { readBlobSizes } from '../../workspace/git/stream-blobs.ts';

/** Largest text, in bytes, that is looked at; larger ones are data. */
const MAX_TEXT_BYTES = 2 * 1_048_576;
/** Most bytes of all texts together. */
const MAX_ALL_BYTES = 64 * 1_048_576;

/** A changed file as text on both sides; null where it is not there. */
export interface ChangedFileText {
  /** Path in the new tree, or in the base when it is gone. */
  readonly path: string;
  readonly basePath: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

export interface ChangedFileTexts {
  readonly texts: readonly ChangedFileText[];
  /** Files that nobody could read: too large, no text, links and submodules. */
  readonly unreadablePaths: readonly string[];
}

/** The texts of the changed files that `wanted` asks for. What cannot be read is named, never silently left out. */
export async function readChangedFileTexts(
  { store, changes }: { readonly store: GitStore; readonly changes: readonly FileChange[] },
  wanted: (path: string) => boolean,
): Promise<ChangedFileTexts> {
  const touched = changes.filter(
    (change) => wanted(change.path) || wanted(getPathInBase(change) ?? change.path),
  );
  if (touched.length === 0) return { texts: [], unreadablePaths: [] };
  const sizes = await readBlobSizes(
    store,
    touched.flatMap(({ baseEntry: before, headEntry }) =>
      [before, headEntry].flatMap((entry) => (entry && isRegularFile(entry) ? [entry.id] : [])),
    ),
  );
  let total = 0;
  const unread: string[] = [];
  const readable = touched.filter(({ path, baseEntry: before, headEntry }) => {
    const entries = [before, headEntry].filter((entry): entry is GitTreeEntry => entry !== null);
    const bytes = entries.map(({ id }) => sizes.get(id) ?? Number.POSITIVE_INFINITY);
    total += bytes.reduce((sum, size) => sum + Math.min(size, MAX_TEXT_BYTES), 0);
    const fits =
      entries.every(isRegularFile) && bytes.every((size) => size <= MAX_TEXT_BYTES) && total <= MAX_ALL_BYTES;
    if (!fits) unread.push(path);
    return fits;
  });
  const blobs = await readBlobs(
    store,
    readable.flatMap(({ baseEntry: before, headEntry }) =>
      [before, headEntry].flatMap((entry) => (entry ? [entry.id] : [])),
    ),
    MAX_ALL_BYTES + 1_048_576,
  );
  const text = (entry: GitTreeEntry | null): string | null =>
    entry && (blobs.get(entry.id) ?? Buffer.alloc(0)).toString('utf8');
  return {
    texts: readable.map((change) => ({
      path: change.path,
      basePath: getPathInBase(change),
      before: text(change.baseEntry),
      after: text(change.headEntry),
    })),
    unreadablePaths: unread,
  };
}
