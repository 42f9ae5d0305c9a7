import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './checkout-error.ts';
import { createGitStore, type GitStore, readSingleLine, runGitInStoreOrThrow } from './git-store.ts';
import { decodePath } from './path-encoding.ts';
import { buildUserGitEnvironment, findRepositoryLayout, type RepositoryLayout } from './repository-layout.ts';
import { type GitResult, gitErrorMessage, runGit } from './run-git.ts';
import {
  findUndeliverablePaths,
  MAX_LISTED_UNDELIVERABLE_PATHS,
  type UndeliverablePath,
} from './undeliverable-paths.ts';
import { findUpstreamBranch, type UpstreamBranch } from './upstream-branch.ts';

export interface CapturedWorkingTree {
  readonly store: GitStore;
  readonly base: string;
  /** Tree hash of what stands in the folder. */
  readonly tree: string;
  /** The branch that is compared with, as the repository knows it. */
  readonly upstream: () => Promise<UpstreamBranch | null>;
  /** The name that was found for the base. */
  readonly baseRef: string;
  /** What stands in the folder and is not in the tree. */
  readonly missingPaths: readonly UndeliverablePath[];
}

/**
 * Takes a picture of a folder as it stands, untracked files included, without touching it or its repository: the index and new
 * objects go to `workDir`.
 * @param refs what to compare with: a branch, tag or commit. Of several names, the first that there is.
 * @param found where its repository is, when it has been asked already.
 * @throws CheckoutError `repository_unavailable` when the folder is in no git repository, `base_ref_missing`.
 */
export async function captureWorkingTree(
  dir: string,
  refs: string | readonly string[],
  workDir: string,
  found: Promise<RepositoryLayout> = findRepositoryLayout(dir),
): Promise<CapturedWorkingTree> {
  const env = buildUserGitEnvironment();
  const ask = (args: readonly string[]): Promise<GitResult> => runGit(['-C', dir, ...args], { env });
  // A clone of one branch knows the others as branches of its remote.
  const names = (typeof refs === 'string' ? [refs] : refs).flatMap((name) => [name, `origin/${name}`]);
  const [{ workTreeRoot, objectFormat, objectsFolder, shallowFile }, [head, ...commits]] = await Promise.all([
    found,
    commitsOf(dir, ['HEAD', ...names]),
  ]);
  const at = commits.findIndex((commit) => commit !== null);
  const base = commits[at];
  const baseRef = names[at];
  if (!base || baseRef === undefined) throw await missingBaseError(workTreeRoot, names[0] ?? '', ask);

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
  const missingPaths: UndeliverablePath[] = [];
  const addAll = async (): Promise<void> => {
    for (;;) {
      const excluded = missingPaths.map(({ path }) => `:(exclude,literal)${path}`);
      try {
        await must('add', '--all', '--', '.', ...excluded);
        return;
      } catch (error) {
        const [, folder] = EMPTY_REPOSITORY.exec(error instanceof Error ? error.message : '') ?? [];
        if (folder === undefined || missingPaths.length >= MAX_LISTED_UNDELIVERABLE_PATHS) throw error;
        missingPaths.push({ path: folder, reason: 'is a repository of its own without a commit' });
      }
    }
  };
  // From HEAD, so that files which were committed in spite of being ignored are kept.
  await must('read-tree', head ?? base);
  await addAll();
  const tree = readSingleLine(await must('write-tree'));
  const options = { ask, must, store, base, tree, workTreeRoot };
  await fetchMissingBlobs(options);
  return {
    store,
    base,
    baseRef,
    tree,
    missingPaths: [...missingPaths, ...(await findUndeliverablePaths(options))],
    upstream: () => findUpstreamBranch(ask, baseRef.replace(/^origin\//, '')),
  };
}

/** A nested repository without a commit, as `git add` names it. */
const EMPTY_REPOSITORY = /'([^'\n]{1,4096}?)\/?' does not have a commit checked out/;

async function missingBaseError(
  workTreeRoot: string,
  ref: string,
  ask: (args: readonly string[]) => Promise<GitResult>,
): Promise<CheckoutError> {
  const shallow = await ask(['rev-parse', '--is-shallow-repository']);
  const isShallow = shallow.stdout.toString('utf8').trim() === 'true';
  return new CheckoutError(
    'base_ref_missing',
    `${isShallow ? 'This shallow clone' : workTreeRoot} has no branch, tag or commit "${ref}"`,
    isShallow
      ? `Fetch it with its history, e.g. by fetch-depth: 0 of actions/checkout, or: git fetch --unshallow origin ${ref}`
      : null,
  );
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

interface PartialCloneOptions {
  /** Runs git in the clone. */
  readonly ask: (args: readonly string[]) => Promise<GitResult>;
  /** Runs git in the clone such that new objects go to the store. @throws CheckoutError */
  readonly must: (...args: readonly string[]) => Promise<Buffer>;
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
}

/** How many objects one call of `git fetch` names. */
const FETCH_BATCH = 500;

/**
 * Fetches the files of both trees that a partial clone has left at its remote.
 * @throws CheckoutError `repository_unavailable` when they cannot be fetched.
 */
async function fetchMissingBlobs({ ask, must, store, base, tree }: PartialCloneOptions): Promise<void> {
  const promisors = await ask(['config', '--get-regexp', String.raw`^remote\..*\.promisor$`]);
  const [, remote] = /^remote\.(.{1,1000})\.promisor true$/m.exec(promisors.stdout.toString('utf8')) ?? [];
  if (remote === undefined) return;
  const ids = new Set<string>();
  for (const side of [base, tree])
    for (const line of (await must('ls-tree', '-r', '-z', side)).toString('latin1').split('\0')) {
      const [, id] = /^\d+ blob ([0-9a-f]{40,64})\t/.exec(line) ?? [];
      if (id !== undefined) ids.add(id);
    }
  // The store knows no remote, so it only answers what is here.
  const listed = await runGitInStoreOrThrow(store, ['cat-file', '--batch-check'], {
    input: [...ids].map((id) => `${id}\n`).join(''),
  });
  const missing = [...listed.toString('latin1').matchAll(/^([0-9a-f]{40,64}) missing$/gm)].map(
    ([, id]) => id ?? '',
  );
  const fetchOptions = ['--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--quiet'];
  for (let at = 0; at < missing.length; at += FETCH_BATCH)
    try {
      await must(
        'fetch',
        ...fetchOptions,
        '--filter=blob:none',
        remote,
        ...missing.slice(at, at + FETCH_BATCH),
      );
    } catch (error) {
      throw new CheckoutError(
        'repository_unavailable',
        `This clone is partial, and ${missing.length} of its files could not be fetched: ${error instanceof Error ? error.message : gitErrorMessage(promisors)}`,
        `Fetch them first: git fetch --refetch --no-filter ${remote}`,
      );
    }
}
