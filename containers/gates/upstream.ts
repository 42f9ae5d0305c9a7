import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { fetchAlso } from '../../workspace/git/fetch.ts';
import type { Store } from '../../workspace/git/store.ts';
import type { Upstream } from '../../workspace/git/upstream.ts';
import type { Box } from '../../workspace/supervisor/box.ts';

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
