import { join } from 'node:path';
import { DISCARDING_GIT_OBJECT_SINK, readObjects } from '../../workspace/git/git-object-reader.ts';
import { createGitStore, type GitStore } from '../../workspace/git/git-store.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';

/** A tree that only its own sandboxes may read. */
interface PrivateTree {
  readonly store: GitStore;
  /** Folders of its sandboxes and of its environment. */
  readonly places: string[];
  /** Calls of `withTree` that use it. */
  users: number;
}

/** Trees in stores of their own, which are removed with all that was made from them as soon as nobody uses them. */
export class PrivateTrees {
  readonly #common: GitStore;
  readonly #workDir: string;
  readonly #trees = new Map<string, PrivateTree>();
  #count = 0;

  /**
   * @param common store of everything that is not private.
   * @param workDir an existing folder for the stores.
   */
  constructor(common: GitStore, workDir: string) {
    this.#common = common;
    this.#workDir = workDir;
  }

  has(tree: string): boolean {
    return this.#trees.has(tree);
  }

  /** The store of a private tree; null: the tree is not private. */
  storeOf(tree: string): GitStore | null {
    return this.#trees.get(tree)?.store ?? null;
  }

  /** Removes a folder when the tree is removed; nothing where the tree is not private. */
  addPlace(tree: string, folder: string): void {
    this.#trees.get(tree)?.places.push(folder);
  }

  /** Makes a tree in a store of its own, hands it to `work`, and removes it unless another call still uses it. */
  async withTree<Value>(
    makeTree: (store: GitStore) => Promise<string>,
    work: (tree: string) => Promise<Value>,
  ): Promise<Value> {
    const common = this.#common;
    const dir = join(this.#workDir, `private-${++this.#count}.git`);
    const store = await createGitStore(dir, common.format, [join(common.dir, 'objects')]);
    let tree: string | null = null;
    try {
      const made = await makeTree(store);
      // A tree that the common store has is no secret, and others may use it, too.
      if (await hasTree(common, made)) return await work(made);
      tree = made;
      const entry = this.#trees.get(tree) ?? { store, places: [], users: 0 };
      entry.users++;
      this.#trees.set(tree, entry);
      return await work(tree);
    } finally {
      const entry = tree === null ? undefined : this.#trees.get(tree);
      if (entry) entry.users--;
      if (tree !== null && entry?.users === 0) {
        this.#trees.delete(tree);
        await Promise.all([...entry.places, entry.store.dir].map(removeFolder));
      }
      if (entry?.store !== store) await removeFolder(dir);
    }
  }
}

async function hasTree(store: GitStore, tree: string): Promise<boolean> {
  let found = false;
  await readObjects(store, '--batch-check', [tree], ({ type }) => {
    found = type === 'tree';
    return DISCARDING_GIT_OBJECT_SINK;
  });
  return found;
}
