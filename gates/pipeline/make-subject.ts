import { basePath, changesBetween, touchedPaths } from '../../workspace/git/changes.ts';
import { editTree } from '../../workspace/git/edit.ts';
import type { Store } from '../../workspace/git/store.ts';
import type { Upstream } from '../../workspace/git/upstream.ts';
import { baseFiles } from '../core/base-files.ts';
import { layoutOf } from '../core/project-files.ts';
import type { Rooms } from '../core/rooms.ts';
import type { Subject } from '../core/subject.ts';
import { isTestPath } from '../core/test-paths.ts';
import type { Allowance } from '../rules/protect/allowance.ts';
import { protect } from '../rules/protect/protect.ts';

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
