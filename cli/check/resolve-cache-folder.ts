import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { RepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

/**
 * Returns the cache folder of `assay check`: the named one, else `assay-cache` in the git folder.
 * @throws CliError for a folder among the files of the repository, where the checked work could write
 */
export async function resolveCacheFolder(
  { workTreeRoot, gitDir }: RepositoryLayout,
  named: string | undefined,
  cwd: string,
): Promise<string> {
  if (named === undefined) return resolve(gitDir, 'assay-cache');
  const folder = await realPath(resolve(cwd, named));
  if (isInside(folder, await realPath(workTreeRoot)) && !isInside(folder, await realPath(gitDir)))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'cache_in_checkout',
      `${named} is among the files that are checked.`,
      {
        hint: 'The checked work could write results there. Name a folder outside of the repository.',
      },
    );
  return folder;
}

/** Returns the folder of prepared environments that belongs to a cache folder; they are large, and removed by `assay cache clean`. */
export const resolveEnvironmentCacheFolder = (cacheFolder: string): string => `${cacheFolder}-environments`;

export const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

/** Resolves links in a path, also if its last parts do not exist yet. */
export const realPath = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const parent = dirname(path);
    return parent === path ? path : resolve(await realPath(parent), relative(parent, path));
  });
