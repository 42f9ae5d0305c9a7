import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './error.ts';
import { complaint, type GitResult, git } from './git.ts';
import { decodePath } from './path-bytes.ts';
import { createStore, line, type ObjectFormat, type Store } from './store.ts';
import { findUpstream, type Upstream } from './upstream.ts';

export interface WorkingTree {
  readonly store: Store;
  readonly base: string;
  /** Tree hash of what stands in the folder. */
  readonly tree: string;
  /** The branch that is compared with, as the repository knows it. */
  readonly upstream: () => Promise<Upstream | null>;
}

/** Variables that tell git of another repository than the one in the folder; a hook that calls us sets them. */
const OF_ANOTHER_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|LITERAL_PATHSPECS)$/;

/** The user's own git environment: ignore rules, line endings and filters are to work as they do for `git add`. */
const userEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || OF_ANOTHER_REPOSITORY.test(name) ? [] : [[name, value] as const],
    ),
  );

/**
 * Takes a picture of a folder as it stands, untracked files included, without touching it or its repository: the index and new
 * objects go to `workDir`.
 * @param ref what to compare with: a branch, tag or commit.
 * @throws CheckoutError `repository_unavailable` when the folder is in no git repository, `base_ref_missing`.
 */
export async function captureWorkingTree(dir: string, ref: string, workDir: string): Promise<WorkingTree> {
  const env = { ...userEnvironment(), LC_ALL: 'C' };
  const ask = (args: readonly string[]): Promise<GitResult> => git(['-C', dir, ...args], { env });
  const commitOf = (name: string): Promise<GitResult> =>
    ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  const [places, base, head] = await Promise.all([
    ask([
      'rev-parse',
      '--path-format=absolute',
      '--show-toplevel',
      '--show-object-format',
      '--git-path',
      'objects',
      '--git-path',
      'shallow',
    ]),
    commitOf(ref),
    commitOf('HEAD'),
  ]);
  const [top, format, objects, shallow] = places.stdout.toString('utf8').split('\n');
  if (places.code !== 0 || !top || !objects || !shallow)
    throw new CheckoutError('repository_unavailable', complaint(places));
  if (base.code !== 0)
    throw new CheckoutError('base_ref_missing', `${top} has no branch, tag or commit "${ref}"`);

  const store = await createStore(join(workDir, 'store.git'), format as ObjectFormat, [objects]);
  await mkdir(join(store.dir, 'objects'), { recursive: true });
  await copyFile(shallow, join(store.dir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const into = {
    ...env,
    GIT_INDEX_FILE: join(workDir, 'index'),
    GIT_OBJECT_DIRECTORY: join(store.dir, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
    GIT_OPTIONAL_LOCKS: '0',
  };
  const must = async (...args: readonly string[]): Promise<Buffer> => {
    const result = await git(
      ['-C', top, '-c', 'core.fsmonitor=false', '-c', 'core.splitIndex=false', ...args],
      {
        env: into,
        timeoutMs: 600_000,
      },
    );
    if (result.code !== 0)
      throw new CheckoutError('repository_unavailable', `git ${args[0]}: ${complaint(result)}`);
    return result.stdout;
  };
  // From HEAD, so that files which were committed in spite of being ignored are kept.
  await must('read-tree', head.code === 0 ? line(head.stdout) : line(base.stdout));
  await must('add', '--all', '--', '.');
  return {
    store,
    base: line(base.stdout),
    tree: line(await must('write-tree')),
    upstream: () => findUpstream(ask, ref),
  };
}

/**
 * Paths of the files in a folder as they stand, from that folder on, without what git ignores. In a folder that is in no repository,
 * or where git is not here, only those at its top, because nobody says what else belongs to the project.
 */
export async function listWorkingTree(dir: string): Promise<string[]> {
  const env = { ...userEnvironment(), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
  const listed = await git(
    ['-C', dir, '-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { env },
  ).catch(() => null);
  if (listed?.code !== 0) return readdir(dir);
  const paths = listed.stdout.toString('latin1').split('\0').filter(Boolean);
  return paths.map((path) => decodePath(Buffer.from(path, 'latin1')));
}
