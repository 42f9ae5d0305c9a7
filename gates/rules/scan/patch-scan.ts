import { type FileChange, type GitTreeEntry, getPathInBase } from '../../../workspace/git/file-changes.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { decodePath, encodePath } from '../../../workspace/git/path-encoding.ts';
import { readBlobSizes, streamBlobs } from '../../../workspace/git/stream-blobs.ts';
import { classifyFile } from './file-classification.ts';
import { computeShortDigest, type FileScanMatch, FileScanner, type FileScanResult } from './file-scanner.ts';
import { redactExcerpt, type SecretRedactor } from './redaction.ts';
import type { ContentScanner } from './scanner.ts';

/** Largest file that is looked at, in bytes. It takes a few seconds; whatever is larger is not source code. */
export const MAX_SCANNED_FILE_BYTES = 256 * 1_048_576;

const SUBMODULE = '160000';

export interface PatchScanOptions {
  readonly store: GitStore;
  readonly changes: readonly FileChange[];
  readonly scanner: ContentScanner;
  readonly redactor: SecretRedactor;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** A place in a file of the patch; `line` is null when it is in the name of the file. */
export interface PatchScanMatch extends Omit<FileScanMatch, 'line'> {
  readonly path: string;
  readonly line: number | null;
  /** The base has it in the same file too. */
  readonly isPreexisting: boolean;
}

export interface PatchScanResult {
  readonly matches: readonly PatchScanMatch[];
  /** Files whose contents were looked at, and how many bytes they have together. */
  readonly scannedFiles: number;
  readonly scannedBytes: number;
  readonly binaryFiles: readonly string[];
  /** Whose contents are elsewhere or packed. */
  readonly lfsPointers: readonly string[];
  readonly compressedFiles: readonly string[];
  readonly submodules: readonly string[];
  /** Over the size limit. */
  readonly tooLargeFiles: readonly string[];
  /** Places that were counted only. */
  readonly unlistedMatches: number;
  readonly timedOut: boolean;
}

interface ScannedVersion {
  readonly path: string;
  readonly entry: GitTreeEntry;
  readonly change: FileChange;
}

/**
 * Looks at every file that a patch adds or changes, and at names that it makes up. What the base has in the same file, or in the
 * one that it was renamed from, is marked as having been there before: moving or re-indenting a line adds nothing.
 */
export async function scanPatch(options: PatchScanOptions): Promise<PatchScanResult> {
  const { store, changes, scanner, redactor } = options;
  const heads = changes.flatMap((change): ScannedVersion[] =>
    change.headEntry ? [{ path: change.path, entry: change.headEntry, change }] : [],
  );
  const names = heads.flatMap(({ change }) => inName(change, scanner, redactor));
  const files = heads.filter(({ entry }) => entry.mode !== SUBMODULE);
  const sizes = await readBlobSizes(
    store,
    files.map(({ entry }) => entry.id),
  );
  const tooLarge = files.filter(({ entry }) => (sizes.get(entry.id) ?? 0) > MAX_SCANNED_FILE_BYTES);
  const readable = files.filter((file) => !tooLarge.includes(file));
  const after = await scanSides(options, readable);

  const touched = readable.flatMap(({ change }): ScannedVersion[] => {
    const path = getPathInBase(change);
    const found = (after.scans.get(change)?.matches.length ?? 0) > 0;
    return found && path !== null && change.baseEntry && change.baseEntry.mode !== SUBMODULE
      ? [{ path, entry: change.baseEntry, change }]
      : [];
  });
  const before = await scanSides(options, touched);

  const scans = [...after.scans];
  const paths = (which: (scan: FileScanResult) => boolean): string[] =>
    scans.filter(([, scan]) => which(scan)).map(([change]) => change.path);
  return {
    matches: [
      ...names,
      ...scans.flatMap(([change, scan]) =>
        compared(change, scan.matches, before.scans.get(change)?.matches ?? []),
      ),
    ],
    scannedFiles: scans.length,
    scannedBytes: scans.reduce((sum, [, scan]) => sum + scan.bytes, 0),
    binaryFiles: paths(({ facts }) => facts.isBinary),
    lfsPointers: paths(({ facts }) => facts.isLfsPointer),
    compressedFiles: paths(({ facts }) => facts.compression !== null),
    submodules: heads.filter(({ entry }) => entry.mode === SUBMODULE).map(({ path }) => path),
    tooLargeFiles: tooLarge.map(({ path }) => path),
    unlistedMatches: scans.reduce((sum, [, scan]) => sum + scan.unlistedMatches, 0),
    timedOut: !after.inTime || !before.inTime,
  };
}

async function scanSides(
  { store, scanner, redactor, deadline }: PatchScanOptions,
  sides: readonly ScannedVersion[],
): Promise<{ readonly scans: Map<FileChange, FileScanResult>; readonly inTime: boolean }> {
  const scans = new Map<FileChange, FileScanResult>();
  let next = 0;
  const inTime = await streamBlobs(
    store,
    sides.map(({ entry }) => entry.id),
    () => {
      const side = sides[next++];
      const file = new FileScanner(scanner, redactor, side?.path ?? '');
      return {
        write: (bytes) => file.add(bytes),
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
function compared(
  change: FileChange,
  after: readonly FileScanMatch[],
  before: readonly FileScanMatch[],
): PatchScanMatch[] {
  const left = [...before];
  const take = (same: (place: FileScanMatch) => boolean): boolean => {
    const index = left.findIndex(same);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  };
  const old = new Set(
    after.filter((place) =>
      take(
        ({ valueDigest, contextDigest }) =>
          valueDigest === place.valueDigest && contextDigest === place.contextDigest,
      ),
    ),
  );
  for (const place of after)
    if (!old.has(place) && take(({ valueDigest }) => valueDigest === place.valueDigest)) old.add(place);
  return after.map((place) => ({ ...place, path: change.path, isPreexisting: old.has(place) }));
}

/** What stands in the name that a patch gives to a file. */
function inName(change: FileChange, scanner: ContentScanner, redactor: SecretRedactor): PatchScanMatch[] {
  if (change.kind === 'modified') return [];
  const bytes = encodePath(change.path);
  const from = change.previousPath === null ? null : encodePath(change.previousPath);
  const old = new Set(
    from === null ? [] : scanner.scan(from, classifyFile('')).matches.map(({ value }) => value),
  );
  return scanner.scan(bytes, classifyFile('')).matches.map((seen) => ({
    path: change.path,
    line: null,
    rule: seen.rule,
    title: seen.title,
    severity: seen.severity,
    obfuscation: 'in the name of the file',
    excerpt: redactExcerpt(bytes, [seen.start, seen.end], redactor),
    valueDigest: computeShortDigest(`${seen.rule}\0${seen.value}`),
    contextDigest: computeShortDigest(decodePath(bytes)),
    isPreexisting: old.has(seen.value),
  }));
}
