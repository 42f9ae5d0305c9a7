import { mkdir } from 'node:fs/promises';
import { CheckoutError } from './checkout-error.ts';
import { type GitStore, readSingleLine, runGitInStore, runGitInStoreOrThrow } from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

/** Writes a commit or tree into the empty folder `dir`, with an index of its own. No hook, filter or symbolic link is followed. */
export async function checkOutTree(
  store: GitStore,
  treeish: string,
  dir: string,
  index: string,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  await runGitInStoreOrThrow(store, ['read-tree', '--reset', '-u', treeish], {
    indexFile: index,
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
export async function applyPatch(
  store: GitStore,
  base: string,
  patch: Buffer,
  index: string,
): Promise<string> {
  await runGitInStoreOrThrow(store, ['read-tree', base], { indexFile: index });
  if (patch.length > 0) {
    const applied = await runGitInStore(
      store,
      ['apply', '--cached', '--binary', '--whitespace=nowarn', '-'],
      {
        indexFile: index,
        input: patch,
      },
    );
    if (applied.code !== 0) throw new CheckoutError('patch_does_not_apply', gitErrorMessage(applied));
  }
  return readSingleLine(await runGitInStoreOrThrow(store, ['write-tree'], { indexFile: index }));
}
