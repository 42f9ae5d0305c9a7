import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { fetchSecondRef } from '../../workspace/git/fetch-commits.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';

/**
 * Where the branch stands now that the work is to go to; null when nobody can tell. The store holds no history, so the base
 * counts as the place where both have parted, which it is unless the branch was rewritten.
 */
export async function fetchUpstreamBranch(
  store: GitStore,
  { repository, read_credential, base_commit, base_ref }: GatesAssignment,
  box: Pick<ContainerWorkContext, 'embedded'>,
): Promise<UpstreamBranch | null> {
  const commit = await fetchSecondRef(store, {
    url: repository,
    ref: base_ref,
    authorization: read_credential,
    allowFile: box.embedded,
  });
  return commit === null ? null : { ref: base_ref, commit, mergeBase: base_commit };
}
