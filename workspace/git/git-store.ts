import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './checkout-error.ts';
import { buildGitEnvironment, type GitProcessPermissions } from './git-environment.ts';
import { type GitOptions, type GitResult, gitErrorMessage, runGit } from './run-git.ts';

export type ObjectFormat = 'sha1' | 'sha256';

/** The object format that a full object id belongs to. */
export const detectGitObjectFormat = (id: string): ObjectFormat => (id.length === 64 ? 'sha256' : 'sha1');

/** The tree without files, which git knows whether or not it is in a store. */
export const emptyTreeId = ({ format }: Pick<GitStore, 'format'>): string =>
  format === 'sha1'
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';

/**
 * A git directory of our own. It lies outside of every checkout, so that nothing that runs in a checkout can change the configuration,
 * the index or the objects that we work with. Only our own user can enter it: it may hold what code of a patch must not read.
 */
export interface GitStore {
  readonly dir: string;
  readonly format: ObjectFormat;
}

/** Makes an empty store by hand: one process fewer than `git init`, and no template of the machine comes in. */
export async function createGitStore(
  dir: string,
  format: ObjectFormat = 'sha1',
  alternates: readonly string[] = [],
): Promise<GitStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await mkdir(join(dir, 'objects', 'info'), { recursive: true });
  await mkdir(join(dir, 'refs'));
  const extension = format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  await Promise.all([
    writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(
      join(dir, 'config'),
      `[core]\n\trepositoryFormatVersion = ${format === 'sha256' ? 1 : 0}\n\tbare = true\n${extension}`,
    ),
    alternates.length > 0
      ? writeFile(join(dir, 'objects', 'info', 'alternates'), `${alternates.join('\n')}\n`)
      : undefined,
  ]);
  return { dir, format };
}

export interface GitStoreCallOptions extends Omit<GitOptions, 'env' | 'cwd'> {
  readonly access?: GitProcessPermissions;
  readonly indexFile?: string;
  readonly workTree?: string;
  /** Where new objects go instead of the store, which is only read then. */
  readonly objectsFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git on the store. `cwd` is the work tree, or the store itself: never a folder that configures git. */
export function runGitInStore(
  store: GitStore,
  args: readonly string[],
  call: GitStoreCallOptions = {},
): Promise<GitResult> {
  const { access, indexFile, workTree, objectsFolder, env, ...rest } = call;
  return runGit(args, {
    ...rest,
    cwd: workTree ?? store.dir,
    env: {
      ...buildGitEnvironment(access),
      GIT_DIR: store.dir,
      ...(indexFile ? { GIT_INDEX_FILE: indexFile } : {}),
      ...(workTree ? { GIT_WORK_TREE: workTree } : {}),
      ...(objectsFolder
        ? {
            GIT_OBJECT_DIRECTORY: objectsFolder,
            GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(store.dir, 'objects')),
          }
        : {}),
      ...env,
    },
  });
}

/** Does the same as `runGitInStore`, for calls that can only fail when something on our side is broken. Gives standard output. */
export async function runGitInStoreOrThrow(
  store: GitStore,
  args: readonly string[],
  call: GitStoreCallOptions = {},
): Promise<Buffer> {
  const result = await runGitInStore(store, args, call);
  if (result.stopped === 'output_limit')
    throw new CheckoutError('unknown', `git ${args[0]}: the answer is too large`);
  if (result.code !== 0) throw new CheckoutError('unknown', `git ${args[0]}: ${gitErrorMessage(result)}`);
  return result.stdout;
}

/** The text of a one-line answer. */
export const readSingleLine = (output: Buffer): string => output.toString('utf8').trim();
