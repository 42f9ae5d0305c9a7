import { mkdir } from 'node:fs/promises';
import { CheckoutError } from './error.ts';
import { complaint } from './git.ts';
import { inStore, line, mustInStore, type Store } from './store.ts';

/** Writes a commit or tree into the empty folder `dir`, with an index of its own. No hook, filter or symbolic link is followed. */
export async function materialise(store: Store, treeish: string, dir: string, index: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await mustInStore(store, ['read-tree', '--reset', '-u', treeish], {
    index,
    workTree: dir,
    timeoutMs: 600_000,
  });
}

/**
 * Applies a patch to a commit, in an index only: nothing is written to a folder, so no path can lead out of one. git
 * itself refuses paths with `..`, into `.git`, or behind a symbolic link.
 * @returns the tree hash of the result.
 * @throws CheckoutError `patch_does_not_apply`.
 */
export async function applyPatch(store: Store, base: string, patch: Buffer, index: string): Promise<string> {
  await mustInStore(store, ['read-tree', base], { index });
  if (patch.length > 0) {
    const applied = await inStore(store, ['apply', '--cached', '--binary', '--whitespace=nowarn', '-'], {
      index,
      input: patch,
    });
    if (applied.code !== 0) throw new CheckoutError('patch_does_not_apply', complaint(applied));
  }
  return line(await mustInStore(store, ['write-tree'], { index }));
}
