import { join } from 'node:path';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { applyPatch } from '../../workspace/git/checkout-tree.ts';
import { fetchCommit, fetchSecondRef, resolveTree } from '../../workspace/git/fetch-commits.ts';
import { findMergeBase } from '../../workspace/git/merge-base.ts';
import { createPatchBetween, MIN_MERGE_GIT_VERSION, mergeTrees } from '../../workspace/git/merge-trees.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';

/** Files that are named at most. */
const MAX_CONFLICT_FILES = 20;

type PullRequestAssignment = AgentAssignment & {
  readonly pull_request: NonNullable<AgentAssignment['pull_request']>;
};

/**
 * Puts the head of a pull request onto the base commit, as a merge would, and hands in the difference. Only trees meet, in git's own
 * objects: nothing of the repository is run or written to a folder.
 * @throws CheckoutError
 */
export async function handInPullRequest(
  { repository, read_credential, base_commit, pull_request }: PullRequestAssignment,
  box: ContainerWorkContext,
  client: ContainerApiClient,
): Promise<void> {
  const access = { url: repository, authorization: read_credential, allowFile: box.embedded };
  const { number, head_ref, head_commit, author } = pull_request;
  const { store } = await fetchCommit(join(box.workDir, 'store.git'), { ...access, ref: base_commit });
  const mergeBase = await findMergeBase(join(box.workDir, 'history.git'), {
    ...access,
    base: base_commit,
    ref: head_ref,
    head: head_commit,
  });
  for (const commit of new Set([head_commit, mergeBase]))
    if (commit !== base_commit && (await fetchSecondRef(store, { ...access, ref: commit })) !== commit)
      throw new CheckoutError('repository_unavailable', `commit ${commit} cannot be fetched`);
  const merged = await mergeTrees(store, await resolveTree(store, head_commit), {
    mergeBase,
    commit: base_commit,
  });
  if (merged === null) throw new Error(`git ${MIN_MERGE_GIT_VERSION} is needed to merge`);
  if (merged.conflicts.length > 0) {
    const files = merged.conflicts.slice(0, MAX_CONFLICT_FILES).map(({ path }) => path.slice(0, 200));
    throw new CheckoutError(
      'patch_does_not_apply',
      `the pull request conflicts with its base (${base_commit.slice(0, 12)}) in ${files.join(', ')}`,
    );
  }
  const patch = await createPatchBetween(store, base_commit, merged.tree);
  const made = await applyPatch(store, base_commit, patch, join(box.workDir, 'merged.index'));
  if (made !== merged.tree)
    throw new CheckoutError('patch_does_not_apply', 'the pull request cannot be written as a patch');
  await client.post('complete', {
    summary: `Head ${head_commit} of pull request ${number} by ${author}, on base ${base_commit}.`,
    output_tail: '',
    base_commit,
    tree: merged.tree,
    patch_sha256: await client.upload('patch', patch),
    patch_bytes: patch.length,
  });
}
