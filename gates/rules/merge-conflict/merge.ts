import { type Conflict, mergeTrees } from '../../../workspace/git/merge.ts';
import type { Store } from '../../../workspace/git/store.ts';
import type { Upstream } from '../../../workspace/git/upstream.ts';

/** Where a tree does not go together with the newest commit of a branch; null: this git cannot tell. */
export const mergeWith = async (
  store: Store,
  tree: string,
  upstream: Upstream,
): Promise<readonly Conflict[] | null> => (await mergeTrees(store, tree, upstream))?.conflicts ?? null;
