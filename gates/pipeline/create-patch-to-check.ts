import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import { editTree } from '../../workspace/git/edit-tree.ts';
import { getPathInBase, listFileChanges, listTouchedPaths } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import { createBaseFileReader } from '../core/base-file-reader.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import { listRevisionPaths } from '../core/project-files.ts';
import type { SandboxFactory } from '../core/sandbox-factory.ts';
import type { ExemptionReasonLookup } from '../rules/protect/protection-exemption.ts';
import { restoreProtectedFiles } from '../rules/protect/restore-protected-files.ts';

export async function createPatchToCheck(options: {
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
  readonly rooms: SandboxFactory;
  readonly upstream?: () => Promise<UpstreamBranch | null>;
  /** Says which files that steer checks the patch may change. Absent: none. */
  readonly allowed?: () => Promise<ExemptionReasonLookup>;
}): Promise<PatchToCheck> {
  const { store, base, tree, rooms } = options;
  const changes = await listFileChanges(store, base, tree);
  let upstream: Promise<UpstreamBranch | null> | null = null;
  const kept = await restoreProtectedFiles(
    store,
    base,
    tree,
    changes,
    options.allowed ?? (async () => () => null),
  );
  return {
    store,
    base,
    patched: tree,
    changes,
    changedPaths: listTouchedPaths(changes),
    tree: kept.gateTree,
    treeWithPatchLockFiles: kept.deliveredTree,
    protectedFiles: kept.protectedFiles,
    changedBaseTests: changes.flatMap((change) => {
      const path = getPathInBase(change);
      return path !== null && isTestPath(path) && change.baseEntry?.id !== change.headEntry?.id ? [path] : [];
    }),
    sandboxes: rooms,
    findUpstream: () => {
      upstream ??= options.upstream?.() ?? Promise.resolve(null);
      return upstream;
    },
    withBaseFiles: (paths) =>
      editTree(
        store,
        kept.gateTree,
        changes.flatMap((change) => {
          const path = getPathInBase(change);
          return path !== null && paths.includes(path) ? [{ path, entry: change.baseEntry }] : [];
        }),
      ),
    baseFile: createBaseFileReader(store, base),
    revisionPaths: () => listRevisionPaths(store, base, kept.gateTree),
  };
}
