import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Places } from '../../workspace/git/places.ts';
import { CliError, EXIT } from '../exit.ts';

/**
 * Where `assay check` remembers results: `assay-cache` in the repository's git folder, or the named one.
 * @throws CliError for a folder among the files of the repository, where the work that is looked at could write.
 */
export async function cacheFolder(
  { top, gitDir }: Places,
  named: string | undefined,
  cwd: string,
): Promise<string> {
  if (named === undefined) return resolve(gitDir, 'assay-cache');
  const folder = await real(resolve(cwd, named));
  if (isInside(folder, await real(top)) && !isInside(folder, await real(gitDir)))
    throw new CliError(EXIT.usage, 'cache_in_checkout', `${named} lies among the files that are checked.`, {
      hint: 'Whoever writes the work could write results there. Name a folder outside of the repository.',
    });
  return folder;
}

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

/** The real path, also of what does not exist yet. */
const real = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const parent = dirname(path);
    return parent === path ? path : resolve(await real(parent), relative(parent, path));
  });
