import { editTree, type GitTreeEdit } from '../../../../workspace/git/edit-tree.ts';
import { getBasePath } from '../../../../workspace/git/file-changes.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';

/** Files that say which packages are there: tests may need one that the base has not. */
const PACKAGES =
  /(^|\/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pyproject\.toml|requirements[^/]*|go\.(mod|sum)|Cargo\.(toml|lock))$/;

/** The code of the base with the tests of the patch. */
export async function baseWithNewTests({ store, tree, changes }: PatchSubject): Promise<string> {
  const edits: GitTreeEdit[] = changes.flatMap((change) => {
    const from = getBasePath(change);
    const back: GitTreeEdit[] =
      from === null || isTestPath(from) || PACKAGES.test(from)
        ? []
        : [{ path: from, entry: change.baseEntry }];
    const isNew = change.headEntry !== null && change.path !== from;
    return isNew && !isTestPath(change.path) && !PACKAGES.test(change.path)
      ? [...back, { path: change.path, entry: null }]
      : back;
  });
  return editTree(store, tree, edits);
}
