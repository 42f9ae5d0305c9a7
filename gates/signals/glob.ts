import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compileGlob, literalFolder } from '../../shared/glob/glob.ts';
import { decodePath, encodePath } from '../checkout/path-bytes.ts';
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
  const matches = compileGlob(pattern, { dot: false });
  // Everything before the first wildcard is a plain path: only that folder has to be walked.
  const start = literalFolder(pattern);
  const from = await locate(root, start || '.');
  if (from.kind === 'leaves') return { kind: 'leaves', path: start };
  if (from.kind === 'missing') return { kind: 'none' };

  let seen = 0;
  let leaving: string | null = null;
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entries(join(root, folder))) {
      if (++seen > maxEntries) return { kind: 'too_many' };
      const name = decodePath(entry.name);
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git') continue;
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

/** Names as bytes: those that are no text would lead nowhere as text. */
async function entries(folder: string): Promise<Dirent<Buffer>[]> {
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
