import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type CachedEnvironment,
  listCachedEnvironments,
  removeKeptEnvironments,
} from '../../gates/environment/environment-cache.ts';
import { findRepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { resolveCacheFolder, resolveEnvironmentCacheFolder } from '../check/resolve-cache-folder.ts';
import { toRepositoryUsageError } from '../check/usage-errors.ts';
import { defineLocalCommand } from '../local-command.ts';
import { defineOption } from '../parameters.ts';

const OPTIONS = {
  repo: defineOption('--repo <dir>', 'folder in the git repository', { default: '.' }),
  cacheDir: defineOption('--cache-dir <dir>', 'folder of the cache (default: assay-cache in the git folder)'),
};

interface CacheContent {
  readonly results: { readonly folder: string; readonly entries: number; readonly bytes: number };
  readonly environments: { readonly folder: string; readonly entries: readonly CachedEnvironment[] };
}

/** Files that a check has written; the folder may have others, because it may have been named by mistake. */
const RESULT_FILE = /^[a-z_]+-[0-9a-f]{64}\.json$/;
const listResultFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => RESULT_FILE.test(name));

async function readCache(repo: string, cacheDir: string | undefined, cwd: string): Promise<CacheContent> {
  const layout = await findRepositoryLayout(resolve(cwd, repo)).catch((error: unknown) => {
    throw toRepositoryUsageError(error);
  });
  const folder = await resolveCacheFolder(layout, cacheDir, cwd);
  const names = await listResultFiles(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  const environments = resolveEnvironmentCacheFolder(folder);
  return {
    results: { folder, entries: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) },
    environments: { folder: environments, entries: await listCachedEnvironments(environments) },
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

const toJson = ({ results, environments }: CacheContent) => ({
  results,
  environments: {
    folder: environments.folder,
    entries: environments.entries.map(({ key, bytes, lastUsed }) => ({
      key,
      bytes,
      last_used: new Date(lastUsed).toISOString(),
    })),
  },
});

/** `cache list`: what `assay check` keeps for a repository. */
const listCommand = defineLocalCommand({
  name: 'cache list',
  description:
    'List prepared environments and results of gates that are kept for a repository, with their sizes',
  options: OPTIONS,
  json: '`--json` prints `{"results": {"folder", "entries", "bytes"}, "environments": {"folder", "entries": [{"key", "bytes", "last_used"}]}}`, the last used first.',
  examples: [['cache list', 'of the repository here']],
  run: async (session, { repo, cacheDir }) => {
    const content = await readCache(repo, cacheDir, session.io.cwd);
    session.show(toJson(content), () =>
      session.table(
        [{ title: 'KEPT' }, { title: 'SIZE' }, { title: 'LAST USED' }],
        [
          [`results of gates (${content.results.entries})`, megabytes(content.results.bytes), '-'],
          ...content.environments.entries.map(({ key, bytes, lastUsed }) => [
            `environment ${key.slice(0, 12)}`,
            megabytes(bytes),
            new Date(lastUsed).toISOString(),
          ]),
        ],
      ),
    );
    return undefined;
  },
});

/** `cache clean`: removes what `assay check` keeps for a repository. */
const cleanCommand = defineLocalCommand({
  name: 'cache clean',
  description: 'Remove prepared environments and results of gates; the next check makes them anew',
  options: OPTIONS,
  json: '`--json` prints what was removed, as `cache list --json` prints it.',
  examples: [['cache clean', 'of the repository here']],
  run: async (session, { repo, cacheDir }) => {
    const content = await readCache(repo, cacheDir, session.io.cwd);
    const { folder } = content.results;
    await Promise.all((await listResultFiles(folder)).map((name) => removeFolder(join(folder, name))));
    await removeKeptEnvironments(content.environments.folder);
    const bytes = content.environments.entries.reduce((sum, each) => sum + each.bytes, content.results.bytes);
    session.show(toJson(content), () => `${megabytes(bytes)} removed.`);
    return undefined;
  },
});

export const cacheCommands = [listCommand, cleanCommand];
