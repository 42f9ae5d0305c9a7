import { MAX_PATCH_BYTES } from '../../shared/contract/resource-names.ts';
import { CheckoutError } from './checkout-error.ts';
import { resolveTree } from './fetch-commits.ts';
import { type GitStore, runGitInStore, runGitInStoreOrThrow } from './git-store.ts';
import { decodePath } from './path-encoding.ts';
import { gitErrorMessage } from './run-git.ts';
import type { UpstreamBranch } from './upstream-branch.ts';
import { PATCH_FORMAT_ARGUMENTS } from './work-tree-snapshot.ts';
import { writeCommit } from './write-commit.ts';

export interface TreeMergeConflict {
  readonly path: string;
  /** Kind of conflict in git's own words, e.g. `CONFLICT (modify/delete)`. */
  readonly kind: string;
}

/** `tree`: what comes of it, conflict markers and all where there are conflicts. `null`: this git cannot merge without a checkout. */
export type TreeMergeResult = {
  readonly tree: string;
  readonly conflicts: readonly TreeMergeConflict[];
} | null;

/** The first git that has `merge-tree --write-tree`. */
export const MIN_MERGE_GIT_VERSION = '2.38';

/**
 * Merges a tree with the newest commit of a branch, in the object store only. The histories are reduced to what counts: both
 * sides come from the commit at which they parted, so a store that has no more than these three is enough.
 */
export async function mergeTrees(
  store: GitStore,
  tree: string,
  upstream: Pick<UpstreamBranch, 'mergeBase' | 'commit'>,
): Promise<TreeMergeResult> {
  // A branch that has not moved since has nothing that could be merged.
  if (upstream.commit === upstream.mergeBase) return { tree, conflicts: [] };
  const side = async (treeish: string, message: string): Promise<string> =>
    writeCommit(store, {
      tree: treeish,
      parent: upstream.mergeBase,
      message,
      author: 'assay <>',
      at: LONG_AGO,
    });
  const theirTree = await resolveTree(store, upstream.commit);
  const [theirs, ours] = await Promise.all([side(theirTree, 'theirs'), side(tree, 'ours')]);
  const merged = await runGitInStore(store, [
    'merge-tree',
    '--write-tree',
    '-z',
    '--messages',
    '--name-only',
    theirs,
    ours,
  ]);
  const made = merged.stdout.subarray(0, tree.length).toString('latin1');
  if (merged.code === 0) return { tree: made, conflicts: [] };
  if (merged.code === 1 && merged.stopped === null)
    return { tree: made, conflicts: parseTreeMergeConflicts(merged.stdout) };
  if (merged.code === 129 || /unknown option|not a git command/.test(merged.stderr)) return null;
  throw new Error(`git merge-tree: ${gitErrorMessage(merged)}`);
}

const LONG_AGO = '2000-01-01T00:00:00Z';

/**
 * Parses what `git merge-tree -z --name-only --messages` says of a merge with conflicts: the tree, the paths, an empty field,
 * and messages, each with the number of its paths before them and its kind behind.
 */
export function parseTreeMergeConflicts(output: Buffer): TreeMergeConflict[] {
  const fields: string[] = [];
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from);
    const stop = end < 0 ? output.length : end;
    fields.push(decodePath(output.subarray(from, stop)));
    from = stop + 1;
  }
  const gap = fields.indexOf('', 1);
  const paths = fields.slice(1, gap < 0 ? undefined : gap);
  const kinds = new Map<string, string>();
  for (let at = gap + 1; gap >= 0 && at < fields.length; ) {
    const count = Number(fields[at]);
    if (!Number.isInteger(count)) break;
    const kind = fields[at + count + 1] ?? '';
    if (kind.startsWith('CONFLICT'))
      for (const path of fields.slice(at + 1, at + 1 + count)) kinds.set(path, kind);
    at += count + 3;
  }
  return paths.map((path) => ({ path, kind: kinds.get(path) ?? 'CONFLICT' }));
}

/** The patch that makes the one tree of the other, as `snapshot` writes it. @throws CheckoutError `patch_too_large` */
export async function createPatchBetween(store: GitStore, base: string, tree: string): Promise<Buffer> {
  const diff = await runGitInStoreOrThrow(
    store,
    ['diff-tree', '-r', '--patch', ...PATCH_FORMAT_ARGUMENTS, base, tree],
    {
      maxOutputBytes: MAX_PATCH_BYTES + 1,
    },
  );
  if (diff.length > MAX_PATCH_BYTES)
    throw new CheckoutError('patch_too_large', `the patch is over ${MAX_PATCH_BYTES} bytes`);
  return diff;
}
