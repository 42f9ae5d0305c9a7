import { basePath, type Change } from '../../checkout/changes.ts';
import { type Edit, editTree } from '../../checkout/edit.ts';
import { isTestFile } from '../../code/tests.ts';
import type { HiddenTests } from '../../engine/hidden-tests.ts';
import type { Subject } from '../../engine/subject.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { baseWithNewTests } from '../../rules/red-first/trees.ts';
import { unneeded } from './narrowed.ts';

/** What the base has on the side of the tests and the patch changes or takes away: tests, helpers, recordings, snapshots. */
export interface OldTests {
  /** Paths in the base. */
  readonly paths: readonly string[];
  /** Of these the files that a runner takes for tests. */
  readonly tests: readonly string[];
  /** What the patch calls those of them that it keeps. */
  readonly kept: readonly string[];
  /** What the patch has on the side of the tests that the base has not, or not like this. */
  readonly touched: readonly string[];
  /** Tree of the patch with all of them in their base version, and without the tests that do not differ. */
  tree(paths?: readonly string[]): Promise<string>;
  /** Code of the base with the changed tests of the patch, and without the tests that do not differ. */
  newOnOldCode(): Promise<string>;
}

const differs = ({ base, head }: Change): boolean => base !== null && base.id !== head?.id;

/** @returns null when the patch leaves the tests of the base as they are. */
export function oldTests(subject: Subject): OldTests | null {
  const changed = subject.changes.filter((change) => isTestPath(basePath(change) ?? '') && differs(change));
  const paths = changed.flatMap((change) => basePath(change) ?? []);
  if (paths.length === 0) return null;
  const touched = subject.changes.flatMap(({ path, head }) => (head && isTestPath(path) ? [path] : []));
  return {
    paths,
    tests: paths.filter(isTestFile),
    kept: changed.flatMap(({ path, head }) => (head && isTestFile(path) ? [path] : [])),
    touched,
    tree: async (wanted = paths) =>
      editTree(subject.store, subject.tree, [
        ...changed.filter((change) => wanted.includes(basePath(change) ?? '')).flatMap(backTo),
        ...(await unneeded(subject, wanted)).map((path): Edit => ({ path, to: null })),
      ]),
    newOnOldCode: async () =>
      editTree(
        subject.store,
        await baseWithNewTests(subject),
        (await unneeded(subject, touched)).map((path): Edit => ({ path, to: null })),
      ),
  };
}

/** Tree of the patch with tests that only we have, and without any that nothing of theirs imports. */
export const withHidden = async (subject: Subject, hidden: HiddenTests): Promise<string> =>
  editTree(subject.store, subject.tree, [
    ...(
      await unneeded(
        subject,
        hidden.map(({ path }) => path),
      )
    ).map((path): Edit => ({ path, to: null })),
    ...hidden,
  ]);

/** The base's version under its own name; what the patch calls it is not there beside it. */
const backTo = (change: Change): Edit[] => {
  const from = basePath(change) ?? change.path;
  const back: Edit = { path: from, to: change.base };
  return from === change.path || change.head === null ? [back] : [{ path: change.path, to: null }, back];
};
