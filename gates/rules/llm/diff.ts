import { filesOfDiff, type ShownDiff, share } from '../../../shared/judging/shown-diff.ts';
import { inStore, type Store } from '../../checkout/store.ts';

/** Most bytes of a diff that are read at all. */
const MAX_DIFF_BYTES = 8 * 1_048_576;

/** The diff of a patch in at most about `limit` characters. Each file has its share, so that none can push another out of sight. */
export async function shownDiff(store: Store, base: string, tree: string, limit: number): Promise<ShownDiff> {
  const args = ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--find-renames', base, tree];
  const { stdout } = await inStore(store, args, { outputBytes: MAX_DIFF_BYTES });
  return share(filesOfDiff(stdout.toString('utf8')), limit);
}
