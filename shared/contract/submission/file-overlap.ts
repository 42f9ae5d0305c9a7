import { truncateToBytes } from '../../lib/truncate.ts';

/** Bytes of a path as it is said. */
const MAX_SHOWN_PATH_BYTES = 500;

/** A wanted file or folder, and the one that is held: the same, one above or one below. */
export interface FileOverlap {
  readonly wantedPath: string;
  readonly lockedPath: string;
}

/** As a folder is spelled inside of the ones above it; the checkout itself is above all. */
const toFolderPrefix = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => `${part}/`)
    .join('');

/** The first file of `wanted` that meets one of `held`. A folder covers everything below it. Null: they keep out of each other's way. */
export function findFileOverlap(wanted: readonly string[], held: readonly string[]): FileOverlap | null {
  const folders = held.map((path) => [path, toFolderPrefix(path)] as const);
  for (const file of wanted) {
    const mine = toFolderPrefix(file);
    const other = folders.find(([, folder]) => mine.startsWith(folder) || folder.startsWith(mine));
    if (other) return { wantedPath: file, lockedPath: other[0] };
  }
  return null;
}

/** `src/a.ts is held`, or with the folder through which it is. */
export const describeFileOverlap = ({ wantedPath, lockedPath }: FileOverlap): string =>
  wantedPath === lockedPath
    ? `${truncateToBytes(wantedPath, MAX_SHOWN_PATH_BYTES)} is held`
    : `${truncateToBytes(wantedPath, MAX_SHOWN_PATH_BYTES)} is held, through ${truncateToBytes(lockedPath, MAX_SHOWN_PATH_BYTES)},`;
