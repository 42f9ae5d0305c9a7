import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type GitStore, runGitInStore } from './git-store.ts';
import { decodePath, encodePath } from './path-encoding.ts';

/** Ignore rules by the path of the file that they stand in. */
export type IgnoreFiles = ReadonlyMap<string, Buffer>;

/**
 * Returns which of the paths the rules ignore, as if none of them were tracked.
 * @returns null if git cannot tell.
 */
export async function listIgnoredPaths(
  store: GitStore,
  rules: IgnoreFiles,
  paths: readonly string[],
): Promise<ReadonlySet<string> | null> {
  if (rules.size === 0 || paths.length === 0) return new Set();
  // The name of such a folder cannot be given to the file system as text.
  if ([...rules.keys()].some((path) => !path.isWellFormed())) return null;
  const folder = await mkdtemp(join(tmpdir(), 'assay-ignored-'));
  try {
    for (const [path, text] of rules) {
      await mkdir(join(folder, dirname(path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const { code, stdout } = await runGitInStore(
      store,
      ['-c', 'core.bare=false', '-c', 'core.excludesFile=', 'check-ignore', '--no-index', '--stdin', '-z'],
      { workTree: folder, input: Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.of(0)])) },
    );
    // 1: none of them is ignored.
    return code === 0 || code === 1 ? new Set(splitPaths(stdout)) : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const splitPaths = (output: Buffer): string[] =>
  output
    .toString('latin1')
    .split('\0')
    .flatMap((path) => (path === '' ? [] : [decodePath(Buffer.from(path, 'latin1'))]));
