import type { ProtectedFile } from '../../shared/evidence/schema.ts';
import { basePath, type Change, changesBetween, touchedPaths } from '../checkout/changes.ts';
import { editTree } from '../checkout/edit.ts';
import type { Store } from '../checkout/store.ts';
import type { Upstream } from '../checkout/upstream.ts';
import { isTestPath } from '../languages/test-paths.ts';
import type { Allowance } from '../rules/protect/allowance.ts';
import { protect } from '../rules/protect/protect.ts';
import { baseFiles } from './base-files.ts';
import { layoutOf, type ProjectFiles } from './project-files.ts';
import type { Rooms } from './rooms.ts';

/** The work that is looked at: a base commit, a patch on it, and what the patch did to the things that check it. */
export interface Subject extends ProjectFiles {
  /** Holds the objects of both sides. */
  readonly store: Store;
  /** Commit that the work started from. */
  readonly base: string;
  /** Tree of the patch as it was handed in; to look at, not to run commands on. */
  readonly patched: string;
  readonly changes: readonly Change[];
  /** Tree for commands: the patch, with what steers the checks as the base has it, unless the patch may change it. */
  readonly tree: string;
  /** `tree` with the patch's own lock files: to look at what would be installed, not to install it. */
  readonly shipped: string;
  readonly protectedFiles: readonly ProtectedFile[];
  /** Paths in the base of what lies on the side of the tests and the patch changes or takes away. */
  readonly touchedTests: readonly string[];
  readonly rooms: Rooms;
  /** `tree` with these paths of the base in their base version. */
  withBase(paths: readonly string[]): Promise<string>;
  /** The branch that the work is to go to, or null when nobody here knows where it stands. */
  upstream(): Promise<Upstream | null>;
}

export async function makeSubject(options: {
  readonly store: Store;
  readonly base: string;
  readonly tree: string;
  readonly rooms: Rooms;
  readonly upstream?: () => Promise<Upstream | null>;
  /** Says which files that steer checks the patch may change. Absent: none. */
  readonly allowed?: () => Promise<Allowance>;
}): Promise<Subject> {
  const { store, base, tree, rooms } = options;
  const changes = await changesBetween(store, base, tree);
  let upstream: Promise<Upstream | null> | null = null;
  const kept = await protect(store, base, tree, changes, options.allowed ?? (async () => () => null));
  return {
    store,
    base,
    patched: tree,
    changes,
    changedPaths: touchedPaths(changes),
    tree: kept.tree,
    shipped: kept.shipped,
    protectedFiles: kept.files,
    touchedTests: changes.flatMap((change) => {
      const path = basePath(change);
      return path !== null && isTestPath(path) && change.base?.id !== change.head?.id ? [path] : [];
    }),
    rooms,
    upstream: () => {
      upstream ??= options.upstream?.() ?? Promise.resolve(null);
      return upstream;
    },
    withBase: (paths) =>
      editTree(
        store,
        kept.tree,
        changes.flatMap((change) => {
          const path = basePath(change);
          return path !== null && paths.includes(path) ? [{ path, to: change.base }] : [];
        }),
      ),
    baseFile: baseFiles(store, base),
    layout: () => layoutOf(store, base, kept.tree),
  };
}
