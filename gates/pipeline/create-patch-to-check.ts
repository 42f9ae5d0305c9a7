import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import { editTree } from '../../workspace/git/edit-tree.ts';
import { getPathInBase, listFileChanges, listTouchedPaths } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import { createBaseFileReader } from '../core/base-file-reader.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import { listRevisionPaths, type ProjectFiles } from '../core/project-files.ts';
import type { SandboxFactory } from '../core/sandbox-factory.ts';
import { type ProtectionPolicy, STRICT_PROTECTION_POLICY } from '../rules/protect/protection-policy.ts';
import { restoreProtectedFiles } from '../rules/protect/restore-protected-files.ts';

export async function createPatchToCheck(options: {
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
  readonly rooms: SandboxFactory;
  readonly upstream?: () => Promise<UpstreamBranch | null>;
  /** Says which protected files the patch may change, and what the checks execute. Absent: none, and anything. */
  readonly loadProtectionPolicy?: (project: ProjectFiles) => Promise<ProtectionPolicy>;
}): Promise<PatchToCheck> {
  const { store, base, tree, rooms } = options;
  const changes = await listFileChanges(store, base, tree);
  let upstream: Promise<UpstreamBranch | null> | null = null;
  const changedPaths = listTouchedPaths(changes);
  const baseFile = createBaseFileReader(store, base);
  const kept = await restoreProtectedFiles(
    store,
    base,
    tree,
    changes,
    async () =>
      options.loadProtectionPolicy?.({
        changedPaths,
        baseFile,
        revisionPaths: () => listRevisionPaths(store, base, tree),
      }) ?? STRICT_PROTECTION_POLICY,
  );
  return {
    store,
    base,
    patched: tree,
    changes,
    changedPaths,
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
    baseFile,
    revisionPaths: () => listRevisionPaths(store, base, kept.gateTree),
  };
}
