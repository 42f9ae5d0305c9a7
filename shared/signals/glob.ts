import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { locate } from './inside.ts';

/** Most entries that one glob looks at: a checkout with more is not searched to the end, and says so. */
export const MAX_ENTRIES = 500_000;

export type GlobResult =
  | { readonly kind: 'matched'; readonly path: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'leaves'; readonly path: string }
  | { readonly kind: 'too_many' };

/**
 * Looks for the first file or folder that matches. `*` does not match dot files, `**` crosses folders, `.git` is never
 * entered and symbolic links are never followed. A link that matches counts only when it stays inside the checkout.
 * @param root real path of the checkout.
 */
export async function findGlob(root: string, pattern: string, maxEntries = MAX_ENTRIES): Promise<GlobResult> {
  const { base, isGlob } = picomatch.scan(pattern);
  // No negation and no extended globs: the one would match everything else, the other can backtrack without end.
  const matches = picomatch(pattern, { dot: false, nonegate: true, noextglob: true });
  // Everything before the first wildcard is a plain path: only that folder has to be walked.
  const start = isGlob ? base : parent(pattern);
  const from = await locate(root, start || '.');
  if (from.kind === 'leaves') return { kind: 'leaves', path: start };
  if (from.kind === 'missing') return { kind: 'none' };

  let seen = 0;
  let leaving: string | null = null;
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entries(join(root, folder))) {
      if (++seen > maxEntries) return { kind: 'too_many' };
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git') continue;
      if (matches(path)) {
        if (!entry.isSymbolicLink()) return { kind: 'matched', path };
        const target = await locate(root, path);
        if (target.kind === 'found') return { kind: 'matched', path };
        if (target.kind === 'leaves') leaving = path;
      }
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return leaving === null ? { kind: 'none' } : { kind: 'leaves', path: leaving };
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

async function entries(folder: string): Promise<Dirent[]> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    // In a fixed order, so that the same tree always names the same match.
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}
