import { join } from 'node:path';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { DeliveryAssignment } from '../../shared/contract/messages/assignment.ts';
import { applyPatch } from '../../workspace/git/checkout-tree.ts';
import { fetchSecondRef } from '../../workspace/git/fetch-commits.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { createPatchBetween, MIN_MERGE_GIT_VERSION, mergeTrees } from '../../workspace/git/merge-trees.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';

/** Files that are named at most. */
const MAX_CONFLICT_FILES = 50;

/**
 * The target has moved: puts the work on top of what it has become, and hands that in to be judged. Nothing is pushed. Only trees meet here, in
 * git's own objects.
 * @returns what could not be done, or null.
 */
export async function mergeOntoTargetBranch(
  store: GitStore,
  { assignment, credential }: { assignment: DeliveryAssignment; credential: string | null },
  target: string,
  box: ContainerWorkContext,
  client: ContainerApiClient,
): Promise<string | null> {
  const { base_commit, tree, repository } = assignment;
  const onto = await fetchSecondRef(store, {
    url: repository,
    ref: target,
    authorization: credential,
    allowFile: box.embedded,
  });
  if (onto === null) return `what ${assignment.target_branch} has become (${target}) cannot be fetched`;
  // Its history is not here and not needed: the base is what both have come from.
  const merged = await mergeTrees(store, tree, { mergeBase: base_commit, commit: onto });
  if (merged === null) return `git ${MIN_MERGE_GIT_VERSION} is needed to merge`;
  if (merged.conflicts.length > 0) {
    const files = merged.conflicts.slice(0, MAX_CONFLICT_FILES).map(({ path }) => path.slice(0, 1_000));
    await client.post('delivery', { step: 'conflict', base_commit, tree, target_commit: onto, files });
    return null;
  }
  const patch = await createPatchBetween(store, onto, merged.tree);
  // What gates will make of it must be this very tree.
  const made = await applyPatch(store, onto, patch, join(box.workDir, 'merged.index'));
  if (made !== merged.tree) return `the merged work cannot be written as a patch`;
  await client.post('delivery', {
    step: 'merged',
    base_commit,
    tree,
    target_commit: onto,
    merged_tree: merged.tree,
    patch_sha256: await client.upload('merged', patch),
    patch_bytes: patch.length,
  });
  return null;
}
