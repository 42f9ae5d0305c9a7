import { execFile } from 'node:child_process';
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type GitStore, runGitInStoreOrThrow } from '../../workspace/git/git-store.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import type { SandboxFolders } from '../core/sandbox-extension.ts';
import { moveCargoHome, stripCargoTarget } from './cargo-target.ts';
import { copyFolder } from './copy-folder.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/** Folders that package managers write and no build writes; they hold nothing that was made from the sources of the tree. */
const DEPENDENCY_FOLDERS = new Set([
  'node_modules',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.eggs',
  '.pnpm-store',
  '.yarn',
  '__pypackages__',
  'vendor',
]);
/** Files of package managers; a lock file that is not committed says which versions were installed. */
const DEPENDENCY_FILES = new Set([
  '.pnp.cjs',
  '.pnp.loader.mjs',
  'Cargo.lock',
  'go.sum',
  'uv.lock',
  'poetry.lock',
  'pdm.lock',
]);
/** What an installation writes beside the sources and imports need: metadata, and the version that a plugin derives from git. */
const METADATA = /\.(?:egg-info|dist-info)$|^_?version\.py$|^_?scm_version\.py$/;
/** Parts of the home folder that nothing needs once the dependencies are installed. */
const DOWNLOAD_CACHES = [
  '.npm',
  '.cache/pip',
  '.cache/uv',
  '.cache/pypoetry',
  '.cache/pdm',
  '.cache/yarn',
  '.cache/node-gyp',
  '.bun/install/cache',
  '.local/share/pnpm/store',
  '.pnpm-store',
  'tmp',
];

/** The files that a preparation has left, as they lie in a folder of their own. */
export interface PreparedFiles {
  /** Holds `tree` and `home`. */
  readonly folder: string;
  /** Paths under `tree`, as bytes in latin1. */
  readonly roots: readonly string[];
  /** Where the sandbox lay in which the preparation ran. Files below name it. */
  readonly place: string;
  /** Files and links, under the folder, whose content names `place`. */
  readonly relocated: readonly string[];
  /** Untracked paths that were made from the sources of the tree, and so are not shared. */
  readonly dropped: readonly string[];
  /** Where Cargo's home lay when the crates were compiled; null: no compiled crates are among the files. */
  readonly cargoHome: string | null;
  readonly bytes: number;
}

/** What is known of a preparation in which Cargo compiled crates. */
export interface CargoPreparation {
  /** Cargo's home. */
  readonly home: string;
  readonly ownNames: ReadonlySet<string>;
}

/** Removes download caches. The preparation made the home folder: a link in it may lead anywhere, and we may remove anything. */
export async function removeDownloadCaches(home: string): Promise<void> {
  const root = await realpath(home);
  for (const cache of DOWNLOAD_CACHES) {
    const parent = join(root, dirname(cache));
    const real = await realpath(parent).catch(() => null);
    if (real === parent) await removeFolder(join(root, cache));
  }
}

/** Moves what a preparation has installed out of its sandbox. The sandbox is of no use afterwards. */
export async function capturePreparedFiles(
  store: GitStore,
  { place, checkout, home, user }: SandboxFolders,
  folder: string,
  cargo: CargoPreparation | null = null,
): Promise<PreparedFiles> {
  // Sandboxes get links to the files and never enter the folder itself.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'tree'));
  const listed = await runGitInStoreOrThrow(
    store,
    ['ls-files', '--others', '-z', '--directory', '--no-empty-directory'],
    { indexFile: join(place, 'index'), workTree: checkout },
  );
  const roots: string[] = [];
  const dropped: string[] = [];
  for (const entry of listed.toString('latin1').split('\0').filter(Boolean)) {
    const path = entry.replace(/\/$/, '');
    if (path === '.git') continue;
    const isCargoTarget =
      cargo !== null &&
      entry.endsWith('/') &&
      (await stripCargoTarget(join(checkout, decode(path)), cargo.ownNames));
    if (!isShared(path) && !isCargoTarget) {
      dropped.push(path);
      continue;
    }
    const target = join(folder, 'tree', decode(path));
    await mkdir(dirname(target), { recursive: true });
    await rename(join(checkout, decode(path)), target);
    roots.push(path);
  }
  if (cargo !== null) await moveCargoHome(cargo.home, home);
  await removeDownloadCaches(home);
  await rename(home, join(folder, 'home'));
  if (user) await run('chown', ['-hR', '0:0', '--', folder]);
  await run('chmod', ['-R', 'u+rwX,go=rX', '--', join(folder, 'tree'), join(folder, 'home')]);
  // Sandboxes share the files by hard links, so nothing may write into one.
  await run('find', [folder, '-type', 'f', '-exec', 'chmod', 'a-w', '{}', '+'], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const relocated = await listRelocated(folder, place);
  await removeBytecodeOf(folder, relocated);
  return {
    folder,
    roots,
    place,
    dropped,
    cargoHome: cargo?.home ?? null,
    relocated,
    bytes: await sizeOf(folder),
  };
}

const decode = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

const isShared = (path: string): boolean => {
  const name = basename(path);
  return (
    DEPENDENCY_FILES.has(name) ||
    METADATA.test(name) ||
    path.split('/').some((part) => DEPENDENCY_FOLDERS.has(part))
  );
};

/** Lists text files that contain a path, and links that lead into it. */
async function listRelocated(folder: string, place: string): Promise<string[]> {
  const found = await run('grep', ['-rlIZF', '-e', place, '--', folder], {
    maxBuffer: MAX_OUTPUT_BYTES,
  }).catch((error: { readonly code?: number; readonly stdout?: string }) => {
    // 1: no file contains it.
    if (error.code === 1) return { stdout: '' };
    throw error;
  });
  const links = await run('find', [folder, '-type', 'l', '-lname', `${place}*`, '-print0'], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return `${found.stdout}${links.stdout}`
    .split('\0')
    .filter(Boolean)
    .map((path) => path.slice(folder.length + 1));
}

/**
 * Removes the bytecode of modules whose text names the place of the preparation: Python takes it as fresh by size and second, which the
 * text for another sandbox may share.
 */
async function removeBytecodeOf(folder: string, relocated: readonly string[]): Promise<void> {
  for (const path of relocated.filter((each) => each.endsWith('.py'))) {
    const bytecode = join(folder, dirname(path), '__pycache__');
    const prefix = `${basename(path, '.py')}.`;
    for (const name of await readdir(bytecode).catch(() => []))
      if (name.startsWith(prefix)) await rm(join(bytecode, name), { force: true });
  }
}

/** Size on disk, in bytes. */
async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', '--', folder]);
  return Number.parseInt(stdout, 10) * 1_024;
}

/** Copies prepared files. Where the file system can, the copies share blocks until one of them is written. */
export async function copyPreparedFiles(files: PreparedFiles, folder: string): Promise<PreparedFiles> {
  await copyFolder(files.folder, folder, LINUX ? ['-a', '--reflink=auto'] : ['-a']);
  return { ...files, folder };
}

const LINUX = process.platform === 'linux';

/** Adds prepared files to a sandbox: as hard links where the system can, and with the paths of this sandbox. */
export async function addPreparedFiles(files: PreparedFiles, folders: SandboxFolders): Promise<void> {
  // Folders that the sandbox has keep their owner and mode.
  const share = LINUX ? ['-dRl'] : ['-a'];
  await copyFolder(join(files.folder, 'tree'), folders.checkout, share);
  await copyFolder(join(files.folder, 'home'), folders.home, share);
  for (const path of files.relocated) {
    const source = join(files.folder, path);
    const target = path.startsWith('tree/')
      ? join(folders.checkout, path.slice('tree/'.length))
      : join(folders.home, path.slice('home/'.length));
    const { mode } = await lstat(source);
    const isLink = (await lstat(target)).isSymbolicLink();
    const text = isLink ? await readlink(source) : await readFile(source, 'latin1');
    const moved = text.replaceAll(files.place, folders.place);
    await rm(target);
    if (isLink) await symlink(moved, target);
    else await writeFile(target, moved, { encoding: 'latin1', mode, flag: 'wx' });
  }
  const { user } = folders;
  if (user === null) return;
  // Commands may add and replace files, and cannot write into shared ones.
  const owned = [folders.home, ...files.roots.map((root) => join(folders.checkout, decode(root)))];
  const owner = `${user.uid}:${user.gid}`;
  for (const path of owned) await run('find', [path, '-type', 'd', '-exec', 'chown', '-h', owner, '{}', '+']);
  const above = new Set(
    files.roots.flatMap(listFoldersAbove).map((path) => join(folders.checkout, decode(path))),
  );
  if (above.size > 0) await run('chown', ['-h', owner, '--', ...above]);
}

/** Folders of the checkout that a path lies in, without the checkout itself. */
const listFoldersAbove = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'));
