import type { GitStore } from './git-store.ts';

/** Most comparisons that are kept of one store; gates compare two or three trees. */
const MAX_KEPT = 6;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Returns a function that compares two trees of a store once: what an id names never changes, and each comparison starts a process of git.
 * Names that are no ids are compared anew each time.
 */
export function createDiffCache<Value>(): (
  store: GitStore,
  base: string,
  tree: string,
  compare: () => Promise<Value>,
) => Promise<Value> {
  const stores = new WeakMap<GitStore, Map<string, Promise<Value>>>();
  return (store, base, tree, compare) => {
    if (!OBJECT_ID.test(base) || !OBJECT_ID.test(tree)) return compare();
    const known = stores.get(store) ?? new Map<string, Promise<Value>>();
    stores.set(store, known);
    const key = `${base} ${tree}`;
    const there = known.get(key);
    if (there) return there;
    for (const oldest of known.keys()) if (known.size >= MAX_KEPT) known.delete(oldest);
    const comparing = compare();
    known.set(key, comparing);
    comparing.catch(() => known.delete(key));
    return comparing;
  };
}
