import type { GitStore } from '../../../workspace/git/git-store.ts';
import { mergeTrees, type TreeMergeConflict } from '../../../workspace/git/merge-trees.ts';
import type { UpstreamBranch } from '../../../workspace/git/upstream-branch.ts';

/** Where a tree does not go together with the newest commit of a branch; null: this git cannot tell. */
export const findMergeConflicts = async (
  store: GitStore,
  tree: string,
  upstream: UpstreamBranch,
): Promise<readonly TreeMergeConflict[] | null> =>
  (await mergeTrees(store, tree, upstream))?.conflicts ?? null;
