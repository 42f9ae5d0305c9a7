import { join } from 'node:path';
import { CheckoutError } from '../../gates/checkout/error.ts';
import { fetchAlso, fetchCommit } from '../../gates/checkout/fetch.ts';
import type { Store } from '../../gates/checkout/store.ts';
import { applyPatch } from '../../gates/checkout/tree.ts';
import type { Upstream } from '../../gates/checkout/upstream.ts';
import type { GatesAssignment } from '../../shared/messages/assignment.ts';
import type { Box } from '../supervisor/box.ts';
import { fetchPatch } from '../supervisor/patch.ts';

/**
 * A store with the base commit and, made from base and patch, the very tree that was handed in.
 * @throws CheckoutError
 */
export async function rebuildTree(
  assignment: {
    readonly repository: string;
    readonly read_credential: string | null;
    readonly base_commit: string;
    readonly tree: string;
    readonly patch_url: string;
    readonly patch_sha256: string;
  },
  box: Box,
): Promise<Store> {
  const [{ store }, patch] = await Promise.all([
    fetchCommit(join(box.workDir, 'store.git'), {
      url: assignment.repository,
      ref: assignment.base_commit,
      authorization: assignment.read_credential,
      allowFile: box.embedded,
    }),
    fetchPatch(assignment),
  ]);
  const tree = await applyPatch(store, assignment.base_commit, patch, join(box.workDir, 'patch.index'));
  if (tree !== assignment.tree)
    throw new CheckoutError(
      'patch_does_not_apply',
      `base and patch make tree ${tree}, but tree ${assignment.tree} was handed in`,
    );
  return store;
}

/**
 * Where the branch stands now that the work is to go to; null when nobody can tell. The store holds no history, so the base
 * counts as the place where both have parted, which it is unless the branch was rewritten.
 */
export async function upstreamOf(
  store: Store,
  { repository, read_credential, base_commit, base_ref }: GatesAssignment,
  box: Pick<Box, 'embedded'>,
): Promise<Upstream | null> {
  const commit = await fetchAlso(store, {
    url: repository,
    ref: base_ref,
    authorization: read_credential,
    allowFile: box.embedded,
  });
  return commit === null ? null : { ref: base_ref, commit, base: base_commit };
}
