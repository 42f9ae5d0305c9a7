import { basePath } from '../../../../workspace/git/changes.ts';
import { type Edit, editTree } from '../../../../workspace/git/edit.ts';
import type { Subject } from '../../../core/subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';

/** Files that say which packages are there: tests may need one that the base has not. */
const PACKAGES =
  /(^|\/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pyproject\.toml|requirements[^/]*|go\.(mod|sum)|Cargo\.(toml|lock))$/;

/** The code of the base with the tests of the patch. */
export async function baseWithNewTests({ store, tree, changes }: Subject): Promise<string> {
  const edits: Edit[] = changes.flatMap((change) => {
    const from = basePath(change);
    const back: Edit[] =
      from === null || isTestPath(from) || PACKAGES.test(from) ? [] : [{ path: from, to: change.base }];
    const isNew = change.head !== null && change.path !== from;
    return isNew && !isTestPath(change.path) && !PACKAGES.test(change.path)
      ? [...back, { path: change.path, to: null }]
      : back;
  });
  return editTree(store, tree, edits);
}
