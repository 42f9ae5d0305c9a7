import type { ChangedProtectedFile } from '../../shared/contract/evidence/schema.ts';
import type { FileChange } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import type { ProjectFiles } from './project-files.ts';
import type { SandboxFactory } from './sandbox-factory.ts';

/** The work that is looked at: a base commit, a patch on it, and what the patch did to the things that check it. */
export interface PatchToCheck extends ProjectFiles {
  /** Holds the objects of both sides. */
  readonly store: GitStore;
  /** Commit that the work started from. */
  readonly base: string;
  /** Tree of the patch as it was handed in; to look at, not to run commands on. */
  readonly patched: string;
  readonly changes: readonly FileChange[];
  /** Tree for commands: the patch, with what steers the checks as the base has it, unless the patch may change it. */
  readonly tree: string;
  /** `tree` with the patch's own lock files: to look at what would be installed, not to install it. */
  readonly treeWithPatchLockFiles: string;
  readonly protectedFiles: readonly ChangedProtectedFile[];
  /** Paths in the base of what lies on the side of the tests and the patch changes or takes away. */
  readonly changedBaseTests: readonly string[];
  readonly sandboxes: SandboxFactory;
  /** `tree` with these paths of the base in their base version. */
  withBaseFiles(paths: readonly string[]): Promise<string>;
  /** The branch that the work is to go to, or null when nobody here knows where it stands. */
  findUpstream(): Promise<UpstreamBranch | null>;
}
