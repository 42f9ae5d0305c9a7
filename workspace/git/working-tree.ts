import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './checkout-error.ts';
import { createGitStore, type GitStore, readSingleLine } from './git-store.ts';
import { decodePath } from './path-encoding.ts';
import { buildUserGitEnvironment, findRepositoryLayout, type RepositoryLayout } from './repository-layout.ts';
import { type GitResult, gitErrorMessage, runGit } from './run-git.ts';
import { findUpstreamBranch, type UpstreamBranch } from './upstream-branch.ts';

export interface CapturedWorkingTree {
  readonly store: GitStore;
  readonly base: string;
  /** Tree hash of what stands in the folder. */
  readonly tree: string;
  /** The branch that is compared with, as the repository knows it. */
  readonly upstream: () => Promise<UpstreamBranch | null>;
}

/**
 * Takes a picture of a folder as it stands, untracked files included, without touching it or its repository: the index and new
 * objects go to `workDir`.
 * @param ref what to compare with: a branch, tag or commit.
 * @param found where its repository is, when it has been asked already.
 * @throws CheckoutError `repository_unavailable` when the folder is in no git repository, `base_ref_missing`.
 */
export async function captureWorkingTree(
  dir: string,
  ref: string,
  workDir: string,
  found: Promise<RepositoryLayout> = findRepositoryLayout(dir),
): Promise<CapturedWorkingTree> {
  const env = buildUserGitEnvironment();
  const ask = (args: readonly string[]): Promise<GitResult> => runGit(['-C', dir, ...args], { env });
  const [{ workTreeRoot, objectFormat, objectsFolder, shallowFile }, [base, head]] = await Promise.all([
    found,
    commitsOf(dir, [ref, 'HEAD']),
  ]);
  if (!base)
    throw new CheckoutError('base_ref_missing', `${workTreeRoot} has no branch, tag or commit "${ref}"`);

  const store = await createGitStore(join(workDir, 'store.git'), objectFormat, [objectsFolder]);
  await mkdir(join(store.dir, 'objects'), { recursive: true });
  await copyFile(shallowFile, join(store.dir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const into = {
    ...env,
    GIT_INDEX_FILE: join(workDir, 'index'),
    GIT_OBJECT_DIRECTORY: join(store.dir, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objectsFolder),
    GIT_OPTIONAL_LOCKS: '0',
  };
  const must = async (...args: readonly string[]): Promise<Buffer> => {
    const result = await runGit(
      ['-C', workTreeRoot, '-c', 'core.fsmonitor=false', '-c', 'core.splitIndex=false', ...args],
      {
        env: into,
        timeoutMs: 600_000,
      },
    );
    if (result.code !== 0)
      throw new CheckoutError('repository_unavailable', `git ${args[0]}: ${gitErrorMessage(result)}`);
    return result.stdout;
  };
  // From HEAD, so that files which were committed in spite of being ignored are kept.
  await must('read-tree', head ?? base);
  await must('add', '--all', '--', '.');
  return {
    store,
    base,
    tree: readSingleLine(await must('write-tree')),
    upstream: () => findUpstreamBranch(ask, ref),
  };
}

/** The commits that these names stand for, each null where it stands for none. They are no arguments, whatever they look like. */
async function commitsOf(dir: string, names: readonly string[]): Promise<(string | null)[]> {
  const asked = await runGit(['-C', dir, 'cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    env: buildUserGitEnvironment(),
    input: names.map((name) => `${name.replaceAll('\n', ' ')}^{commit}\n`).join(''),
  });
  const answers = asked.stdout.toString('utf8').split('\n');
  return names.map((_, at) => /^([0-9a-f]{40,64}) commit$/.exec(answers[at] ?? '')?.[1] ?? null);
}

/**
 * Paths of the files in a folder as they stand, from that folder on, without what git ignores. In a folder that is in no repository,
 * or where git is not here, only those at its top, because nobody says what else belongs to the project.
 */
export async function listWorkingTree(dir: string): Promise<string[]> {
  const env = { ...buildUserGitEnvironment(), GIT_OPTIONAL_LOCKS: '0' };
  const listed = await runGit(
    ['-C', dir, '-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { env },
  ).catch(() => null);
  if (listed?.code !== 0) return readdir(dir);
  const paths = listed.stdout.toString('latin1').split('\0').filter(Boolean);
  return paths.map((path) => decodePath(Buffer.from(path, 'latin1')));
}
