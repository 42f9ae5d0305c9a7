import { filesOfDiff, type ShownDiff, share } from '../../../shared/reviews/judging/shown-diff.ts';
import { inStore } from '../../../workspace/git/store.ts';
import type { Subject } from '../../core/subject.ts';

/** Most bytes of a diff that are read at all. */
const MAX_DIFF_BYTES = 8 * 1_048_576;

/** The diff of a patch, file by file. */
export async function diffOf({ store, base, patched }: Subject): Promise<string[]> {
  const args = ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--find-renames', base, patched];
  const { stdout } = await inStore(store, args, { outputBytes: MAX_DIFF_BYTES });
  return filesOfDiff(stdout.toString('utf8'));
}

/** The diff of a patch in at most about `limit` characters. Each file has its share, so that none can push another out of sight. */
export const shownDiff = async (subject: Subject, limit: number): Promise<ShownDiff> =>
  share(await diffOf(subject), limit);
