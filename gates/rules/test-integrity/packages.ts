import type { Project } from '../../code/project.ts';
import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { isTestPath } from '../../languages/test-paths.ts';

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * Tests of Python in folders that are no packages (any more): the discovery of `unittest` goes past them without a word.
 * @param command what runs the tests; other runners need no packages.
 */
export function testsOutsidePackages(
  texts: readonly ChangedText[],
  project: Project,
  command: string | null,
): Seen[] {
  if (command === null || !/\bunittest\b/.test(command)) return [];
  const { code } = project.head.files;
  const start = /(?:-s|--start-directory)[ =](\S+)/.exec(command)?.[1]?.replace(/\/$/, '') ?? '.';
  const isPackage = (folder: string): boolean =>
    folder === '' || folder === start || start.startsWith(`${folder}/`) || code.has(`${folder}/__init__.py`);
  return texts.flatMap(({ path, from, before, after }): Seen[] => {
    const folder = folderOf(path);
    const lost = after === null && path.endsWith('/__init__.py') && isTestPath(path);
    const moved = after !== null && /(?:^|\/)test[^/]*\.py$/.test(path) && folder !== folderOf(from ?? '');
    if (isPackage(folder) || (!lost && !moved)) return [];
    const test = [...code.keys()].find(
      (each) => each.startsWith(`${folder}/`) && /(?:^|\/)test[^/]*\.py$/.test(each),
    );
    if (test === undefined) return [];
    return [
      {
        file: path,
        line: null,
        rule: 'test_never_runs',
        message: `${folder} is no package${before === null ? '' : ' any more'}, so that unittest does not find ${test}`,
        weight: 'fails',
      },
    ];
  });
}
