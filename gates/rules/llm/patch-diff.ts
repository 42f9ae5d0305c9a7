import {
  type DiffExcerpt,
  excerptDiffsEvenly,
  splitDiffByFile,
} from '../../../shared/reviews/judging/diff-excerpt.ts';
import { runGitInStore } from '../../../workspace/git/git-store.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';

/** Most bytes of a diff that are read at all. */
const MAX_DIFF_BYTES = 8 * 1_048_576;

type DiffedPatch = Pick<PatchToCheck, 'store' | 'base' | 'patched'>;

/** The diff of a patch, file by file. */
export async function readPatchDiff({ store, base, patched }: DiffedPatch): Promise<string[]> {
  const args = ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--find-renames', base, patched];
  const { stdout } = await runGitInStore(store, args, { maxOutputBytes: MAX_DIFF_BYTES });
  return splitDiffByFile(stdout.toString('utf8'));
}

/** The diff of a patch in at most about `limit` characters. Each file has its share, so that none can push another out of sight. */
export const readPatchDiffExcerpt = async (subject: DiffedPatch, limit: number): Promise<DiffExcerpt> =>
  excerptDiffsEvenly(await readPatchDiff(subject), limit);
