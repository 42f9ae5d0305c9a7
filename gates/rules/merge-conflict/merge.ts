import { type TreeMergeConflict, mergeTrees } from '../../../workspace/git/merge.ts';
import type { GitStore } from '../../../workspace/git/store.ts';
import type { UpstreamBranch } from '../../../workspace/git/upstream.ts';

/** Where a tree does not go together with the newest commit of a branch; null: this git cannot tell. */
export const findMergeConflicts = async (
  store: GitStore,
  tree: string,
  upstream: UpstreamBranch,
): Promise<readonly TreeMergeConflict[] | null> => (await mergeTrees(store, tree, upstream))?.conflicts ?? null;
