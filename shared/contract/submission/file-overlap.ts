import { cut } from '../../lib/cut.ts';

/** Bytes of a path as it is said. */
const SAID = 500;

/** A wanted file or folder, and the one that is held: the same, one above or one below. */
export interface Overlap {
  readonly file: string;
  readonly held: string;
}

/** As a folder is spelled inside of the ones above it; the checkout itself is above all. */
const asFolder = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => `${part}/`)
    .join('');

/** The first file of `wanted` that meets one of `held`. A folder covers everything below it. Null: they keep out of each other's way. */
export function overlap(wanted: readonly string[], held: readonly string[]): Overlap | null {
  const folders = held.map((path) => [path, asFolder(path)] as const);
  for (const file of wanted) {
    const mine = asFolder(file);
    const other = folders.find(([, folder]) => mine.startsWith(folder) || folder.startsWith(mine));
    if (other) return { file, held: other[0] };
  }
  return null;
}

/** `src/a.ts is held`, or with the folder through which it is. */
export const describeOverlap = ({ file, held }: Overlap): string =>
  file === held ? `${cut(file, SAID)} is held` : `${cut(file, SAID)} is held, through ${cut(held, SAID)},`;
