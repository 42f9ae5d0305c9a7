import type { GitStore } from '../../workspace/git/git-store.ts';
import { isRegularFile } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { type FolderEntry, listFolder } from '../../workspace/git/tree-folder.ts';

/** Largest file of the base, in bytes, that is read to find a tool in it. */
const MAX_READ_BYTES = 1_048_576;

/**
 * Texts of regular files of the base commit, by path; null where there is none. Gates look for dozens of files that most projects
 * do not have: a folder is listed once, and a file is read once, whoever asks.
 */
export function createBaseFileReader(
  store: GitStore,
  base: string,
): (path: string) => Promise<string | null> {
  const folders = new Map<string, Promise<ReadonlyMap<string, FolderEntry>>>();
  const texts = new Map<string, Promise<string | null>>();
  const listed = (folder: string) =>
    once(folders, folder, async () => {
      const files = await listFolder(store, base, folder);
      return new Map(files.filter(isRegularFile).map((file) => [file.path, file]));
    });
  return (path) =>
    once(texts, path, async () => {
      const file = (await listed(path.slice(0, Math.max(0, path.lastIndexOf('/'))))).get(path);
      if (!file) return null;
      return (await readBlobs(store, [file.id], MAX_READ_BYTES)).get(file.id)?.toString('utf8') ?? null;
    });
}

function once<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const there = known.get(key) ?? make();
  known.set(key, there);
  return there;
}
