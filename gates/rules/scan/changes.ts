import { blobSizes, streamBlobs } from '../../../workspace/git/blob-stream.ts';
import { basePath, type Change, type Entry } from '../../../workspace/git/changes.ts';
import { decodePath, encodePath } from '../../../workspace/git/path-bytes.ts';
import type { Store } from '../../../workspace/git/store.ts';
import { factsOf } from './file-facts.ts';
import { digest, type FileScan, FileScanner, type Place } from './file-scan.ts';
import { excerptOf, type Redactor } from './redact.ts';
import type { Scanner } from './scanner.ts';

/** Largest file that is looked at, in bytes. It takes a few seconds; whatever is larger is not source code. */
export const MAX_FILE_BYTES = 256 * 1_048_576;

const SUBMODULE = '160000';

export interface ScanOptions {
  readonly store: Store;
  readonly changes: readonly Change[];
  readonly scanner: Scanner;
  readonly redactor: Redactor;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** A place in a file of the patch; `line` is null when it is in the name of the file. */
export interface Located extends Omit<Place, 'line'> {
  readonly path: string;
  readonly line: number | null;
  /** The base has it in the same file too. */
  readonly before: boolean;
}

export interface ChangesScan {
  readonly located: readonly Located[];
  /** Files whose contents were looked at, and how many bytes they have together. */
  readonly files: number;
  readonly bytes: number;
  readonly binary: readonly string[];
  /** Whose contents are elsewhere or packed. */
  readonly lfs: readonly string[];
  readonly packed: readonly string[];
  readonly submodules: readonly string[];
  /** Over the size limit. */
  readonly tooLarge: readonly string[];
  /** Places that were counted only. */
  readonly more: number;
  readonly timedOut: boolean;
}

interface Side {
  readonly path: string;
  readonly entry: Entry;
  readonly change: Change;
}

/**
 * Looks at every file that a patch adds or changes, and at names that it makes up. What the base has in the same file, or in the
 * one that it was renamed from, is marked as having been there before: moving or re-indenting a line adds nothing.
 */
export async function scanChanges(options: ScanOptions): Promise<ChangesScan> {
  const { store, changes, scanner, redactor } = options;
  const heads = changes.flatMap((change): Side[] =>
    change.head ? [{ path: change.path, entry: change.head, change }] : [],
  );
  const names = heads.flatMap(({ change }) => inName(change, scanner, redactor));
  const files = heads.filter(({ entry }) => entry.mode !== SUBMODULE);
  const sizes = await blobSizes(
    store,
    files.map(({ entry }) => entry.id),
  );
  const tooLarge = files.filter(({ entry }) => (sizes.get(entry.id) ?? 0) > MAX_FILE_BYTES);
  const readable = files.filter((file) => !tooLarge.includes(file));
  const after = await scanSides(options, readable);

  const touched = readable.flatMap(({ change }): Side[] => {
    const path = basePath(change);
    const found = (after.scans.get(change)?.places.length ?? 0) > 0;
    return found && path !== null && change.base && change.base.mode !== SUBMODULE
      ? [{ path, entry: change.base, change }]
      : [];
  });
  const before = await scanSides(options, touched);

  const scans = [...after.scans];
  const paths = (which: (scan: FileScan) => boolean): string[] =>
    scans.filter(([, scan]) => which(scan)).map(([change]) => change.path);
  return {
    located: [
      ...names,
      ...scans.flatMap(([change, scan]) =>
        compared(change, scan.places, before.scans.get(change)?.places ?? []),
      ),
    ],
    files: scans.length,
    bytes: scans.reduce((sum, [, scan]) => sum + scan.bytes, 0),
    binary: paths(({ facts }) => facts.binary),
    lfs: paths(({ facts }) => facts.lfs),
    packed: paths(({ facts }) => facts.packed !== null),
    submodules: heads.filter(({ entry }) => entry.mode === SUBMODULE).map(({ path }) => path),
    tooLarge: tooLarge.map(({ path }) => path),
    more: scans.reduce((sum, [, scan]) => sum + scan.more, 0),
    timedOut: !after.inTime || !before.inTime,
  };
}

async function scanSides(
  { store, scanner, redactor, deadline }: ScanOptions,
  sides: readonly Side[],
): Promise<{ readonly scans: Map<Change, FileScan>; readonly inTime: boolean }> {
  const scans = new Map<Change, FileScan>();
  let next = 0;
  const inTime = await streamBlobs(
    store,
    sides.map(({ entry }) => entry.id),
    () => {
      const side = sides[next++];
      const file = new FileScanner(scanner, redactor, side?.path ?? '');
      return {
        piece: (bytes) => file.add(bytes),
        end: () => {
          const scan = file.end();
          if (side) scans.set(side.change, scan);
        },
      };
    },
    deadline,
  );
  return { scans, inTime };
}

/** Tells what is new from what the base has: the same value in the same line first, then the same value anywhere in the file. */
function compared(change: Change, after: readonly Place[], before: readonly Place[]): Located[] {
  const left = [...before];
  const take = (same: (place: Place) => boolean): boolean => {
    const index = left.findIndex(same);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  };
  const old = new Set(
    after.filter((place) => take(({ value, context }) => value === place.value && context === place.context)),
  );
  for (const place of after)
    if (!old.has(place) && take(({ value }) => value === place.value)) old.add(place);
  return after.map((place) => ({ ...place, path: change.path, before: old.has(place) }));
}

/** What stands in the name that a patch gives to a file. */
function inName(change: Change, scanner: Scanner, redactor: Redactor): Located[] {
  if (change.kind === 'modified') return [];
  const bytes = encodePath(change.path);
  const from = change.from === null ? null : encodePath(change.from);
  const old = new Set(from === null ? [] : scanner.scan(from, factsOf('')).seen.map(({ value }) => value));
  return scanner.scan(bytes, factsOf('')).seen.map((seen) => ({
    path: change.path,
    line: null,
    rule: seen.rule,
    title: seen.title,
    severity: seen.severity,
    hidden: 'in the name of the file',
    excerpt: excerptOf(bytes, [seen.start, seen.end], redactor),
    value: digest(`${seen.rule}\0${seen.value}`),
    context: digest(decodePath(bytes)),
    before: old.has(seen.value),
  }));
}
