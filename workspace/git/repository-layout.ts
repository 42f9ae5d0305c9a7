import { CheckoutError } from './checkout-error.ts';
import type { ObjectFormat } from './git-store.ts';
import { type GitResult, gitErrorMessage, runGit } from './run-git.ts';

/** Where a repository of the user keeps what is read of it. All paths are absolute. */
export interface RepositoryLayout {
  /** Of the working tree. */
  readonly workTreeRoot: string;
  /** What all working trees of the repository share. */
  readonly gitDir: string;
  readonly objectFormat: ObjectFormat;
  readonly objectsFolder: string;
  /** The file that says where history was cut off; there only if it was. */
  readonly shallowFile: string;
}

/** Variables that tell git of another repository than the one in the folder; a hook that calls us sets them. */
const OF_ANOTHER_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|LITERAL_PATHSPECS)$/;

/** The user's own git environment: ignore rules, line endings and filters are to work as they do for `git add`. */
export const buildUserGitEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || OF_ANOTHER_REPOSITORY.test(name) ? [] : [[name, value] as const],
    ),
  ),
  LC_ALL: 'C',
});

const DUBIOUS_OWNERSHIP = /detected dubious ownership in repository at '([^'\n]{1,4096})'/;

/** The error of a folder that git does not read. */
export function createRepositoryLayoutError(
  dir: string,
  result: Pick<GitResult, 'stderr' | 'stdout' | 'code' | 'stopped'>,
): CheckoutError {
  const [, owned] = DUBIOUS_OWNERSHIP.exec(result.stderr) ?? [];
  return owned === undefined
    ? new CheckoutError('repository_unavailable', gitErrorMessage(result))
    : new CheckoutError(
        'repository_unavailable',
        `git does not read ${dir}, because another user owns it`,
        `If you trust it: git config --global --add safe.directory ${owned}`,
      );
}

const ASKED = ['--show-toplevel', '--git-common-dir', '--show-object-format'];
const PATHS = ['objects', 'shallow'].flatMap((name) => ['--git-path', name]);

/**
 * Finds the repository that a folder lies in.
 * @throws CheckoutError `repository_unavailable` when it lies in none, or in one without a working tree.
 */
export async function findRepositoryLayout(dir: string): Promise<RepositoryLayout> {
  const asked = await runGit(['-C', dir, 'rev-parse', '--path-format=absolute', ...ASKED, ...PATHS], {
    env: buildUserGitEnvironment(),
  });
  const [top, gitDir, format, objects, shallow] = asked.stdout.toString('utf8').split('\n');
  if (asked.code !== 0 || !top || !gitDir || !objects || !shallow)
    throw createRepositoryLayoutError(dir, asked);
  return {
    workTreeRoot: top,
    gitDir,
    objectFormat: format as ObjectFormat,
    objectsFolder: objects,
    shallowFile: shallow,
  };
}
