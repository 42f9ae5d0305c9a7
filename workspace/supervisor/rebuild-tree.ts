import { join } from 'node:path';
import { CheckoutError } from '../git/checkout-error.ts';
import { applyPatch } from '../git/checkout-tree.ts';
import { fetchCommit } from '../git/fetch-commits.ts';
import type { GitStore } from '../git/git-store.ts';
import type { ContainerWorkContext } from './container.ts';
import { downloadPatch } from './verified-download.ts';

/**
 * A store with the base commit and, made from base and patch, the very tree that was handed in.
 * @throws CheckoutError
 */
export async function rebuildSubmittedTree(
  assignment: {
    readonly repository: string;
    readonly read_credential: string | null;
    readonly base_commit: string;
    readonly tree: string;
    readonly patch_url: string;
    readonly patch_sha256: string;
  },
  box: ContainerWorkContext,
): Promise<GitStore> {
  const [{ store }, patch] = await Promise.all([
    fetchCommit(join(box.workDir, 'store.git'), {
      url: assignment.repository,
      ref: assignment.base_commit,
      authorization: assignment.read_credential,
      allowFile: box.embedded,
    }),
    downloadPatch(assignment),
  ]);
  const tree = await applyPatch(store, assignment.base_commit, patch, join(box.workDir, 'patch.index'));
  if (tree !== assignment.tree)
    throw new CheckoutError(
      'patch_does_not_apply',
      `base and patch make tree ${tree}, but tree ${assignment.tree} was handed in`,
    );
  return store;
}
