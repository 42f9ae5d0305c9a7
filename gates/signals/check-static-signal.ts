import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import {
  type CompletionSignal,
  isModelJudgedSignal,
  type ModelJudgedSignal,
} from '../../shared/contract/submission/signals.ts';
import { compileGlob, literalFolderPrefix } from '../../shared/lib/glob/glob.ts';
import { decodePath, encodePath } from '../../workspace/git/path-encoding.ts';
import { searchLiteral } from './search-file.ts';
import { REGEX_TIMEOUT_MS, searchRegexInWorker } from './search-regex-in-worker.ts';

type CheckoutPathResult =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'leaves' };

/**
 * Finds a path inside a checkout with every symbolic link resolved. A link that leads out of the checkout, or into its
 * `.git`, is not followed.
 * @param root real path of the checkout.
 */
async function locateInCheckout(root: string, path: string): Promise<CheckoutPathResult> {
  let real: string;
  try {
    real = decodePath(await realpath(encodePath(join(root, path)), { encoding: 'buffer' }));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // ELOOP: links in a circle; ENAMETOOLONG: no such file can exist; EACCES: we may not look, so we have not seen it.
    if (code && ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EINVAL'].includes(code))
      return { kind: 'missing' };
    throw error;
  }
  return isInside(root, real) ? { kind: 'found', path: real } : { kind: 'leaves' };
}

/** True for the checkout itself and everything under it except its `.git`. Both paths must be real paths. */
function isInside(root: string, real: string): boolean {
  if (real === root) return true;
  const inner = relative(root, real).split(sep);
  return inner[0] !== '..' && inner[0] !== '' && inner[0]?.toLowerCase() !== '.git';
}

/** Most entries that one glob looks at: a checkout with more is not searched to the end, and says so. */
const MAX_ENTRIES = 500_000;

type GlobSearchResult =
  | { readonly kind: 'matched'; readonly path: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'leaves'; readonly path: string }
  | { readonly kind: 'too_many' };

/**
 * Looks for the first file or folder that matches. `*` does not match dot files, `**` crosses folders, `.git` is never
 * entered and symbolic links are never followed. A link that matches counts only when it stays inside the checkout.
 * @param root real path of the checkout.
 */
export async function findFirstGlobMatch(
  root: string,
  pattern: string,
  { maxEntries = MAX_ENTRIES, listing = new FolderListingCache(root) } = {},
): Promise<GlobSearchResult> {
  const matches = compileGlob(pattern, { dot: false });
  // Everything before the first wildcard is a plain path: only that folder has to be walked.
  const start = literalFolderPrefix(pattern);
  const from = await locateInCheckout(root, start || '.');
  if (from.kind === 'leaves') return { kind: 'leaves', path: start };
  if (from.kind === 'missing') return { kind: 'none' };

  let seen = 0;
  let leaving: string | null = null;
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await listing.readEntries(folder)) {
      if (++seen > maxEntries) return { kind: 'too_many' };
      const name = decodePath(entry.name);
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git') continue;
      if (matches(path)) {
        if (!entry.isSymbolicLink()) return { kind: 'matched', path };
        const target = await locateInCheckout(root, path);
        if (target.kind === 'found') return { kind: 'matched', path };
        if (target.kind === 'leaves') leaving = path;
      }
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return leaving === null ? { kind: 'none' } : { kind: 'leaves', path: leaving };
}

/** The signals that are answered by looking at files; `test_passes` and `api_responds` run a command instead, and judged ones ask a model. */
export type FileBasedSignal = Exclude<
  CompletionSignal,
  ModelJudgedSignal | { type: 'test_passes' | 'api_responds' }
>;

export interface FileBasedSignalResult {
  readonly outcome: CheckOutcome;
  readonly detail: string;
}

const passed = (detail: string): FileBasedSignalResult => ({ outcome: 'passed', detail });
const failed = (detail: string): FileBasedSignalResult => ({ outcome: 'failed', detail });
const LEAVES = 'leaves the checkout through a symbolic link, which is not followed';

export const isFileBasedSignal = (signal: CompletionSignal): signal is FileBasedSignal =>
  signal.type !== 'test_passes' && signal.type !== 'api_responds' && !isModelJudgedSignal(signal);

/**
 * Looks at the checkout for one signal.
 * @param root real path of the checkout.
 * @param timeoutMs longest time for a regular expression; `listing`: what is known of the checkout's folders.
 */
export async function checkFileBasedSignal(
  root: string,
  signal: FileBasedSignal,
  { timeoutMs = REGEX_TIMEOUT_MS, listing = new FolderListingCache(root) } = {},
): Promise<FileBasedSignalResult> {
  switch (signal.type) {
    case 'path_exists': {
      const found = await locateInCheckout(root, signal.path);
      if (found.kind === 'leaves') return failed(`${signal.path} ${LEAVES}`);
      return found.kind === 'found' ? passed('exists') : failed('not found');
    }
    case 'glob_exists': {
      const found = await findFirstGlobMatch(root, signal.pattern, { listing });
      if (found.kind === 'matched') return passed(`matched ${found.path}`);
      if (found.kind === 'leaves') return failed(`${found.path} ${LEAVES}`);
      return found.kind === 'none'
        ? failed('no matches')
        : {
            outcome: 'could_not_run',
            detail: 'no match among the first entries; the checkout has too many to search',
          };
    }
    case 'file_contains':
      return fileContains(root, signal, timeoutMs);
  }
}

async function fileContains(
  root: string,
  signal: Extract<FileBasedSignal, { type: 'file_contains' }>,
  timeoutMs: number,
): Promise<FileBasedSignalResult> {
  const found = await locateInCheckout(root, signal.path);
  if (found.kind === 'leaves') return failed(`${signal.path} ${LEAVES}`);
  if (found.kind === 'missing') return failed('file not found');
  if (!(await stat(found.path)).isFile()) return failed('not a regular file');
  const search =
    signal.regex === undefined
      ? await searchLiteral(found.path, signal.contains ?? '')
      : await searchRegexInWorker(found.path, signal.regex, timeoutMs);
  if (search === 'found') return passed('found');
  if (search === 'timed_out')
    return { outcome: 'timed_out', detail: `matching took longer than ${timeoutMs} ms` };
  return search === 'not_found'
    ? failed('not found')
    : {
        outcome: 'could_not_run',
        detail: 'not found in the first part of the file; it is too large to search whole',
      };
}

/** Entries that are kept: beyond, folders are read anew rather than remembered. */
const KEPT = 200_000;

/** Names as bytes: those that are no text would lead nowhere as text. */
async function read(folder: string): Promise<Dirent<Buffer>[]> {
  try {
    const found = await readdir(encodePath(folder), { withFileTypes: true, encoding: 'buffer' });
    // In a fixed order, so that the same tree always names the same match.
    return found.sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}

/** What lies in the folders of a tree that nothing changes meanwhile: each is read once, however many patterns are looked for. */
export class FolderListingCache {
  readonly #root: string;
  readonly #known = new Map<string, readonly Dirent<Buffer>[]>();
  #kept = 0;

  /** @param root real path of the tree. */
  constructor(root: string) {
    this.#root = root;
  }

  /** @param folder from the root; empty: the root itself. Empty where there is none, or none that may be read. */
  async readEntries(folder: string): Promise<readonly Dirent<Buffer>[]> {
    const known = this.#known.get(folder);
    if (known) return known;
    const found = await read(join(this.#root, folder));
    this.#kept += found.length + 1;
    if (this.#kept <= KEPT) this.#known.set(folder, found);
    return found;
  }
}
