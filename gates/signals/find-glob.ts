import { compileGlob, literalFolderPrefix } from '../../shared/lib/glob/glob.ts';
import { decodePath } from '../../workspace/git/path-encoding.ts';
import { FolderListingCache } from './folder-listing-cache.ts';
import { locateInCheckout } from './locate-in-checkout.ts';

/** Most entries that one glob looks at: a checkout with more is not searched to the end, and says so. */
const MAX_ENTRIES = 500_000;

export type GlobSearchResult =
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
