import { lstat, mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CatalogFile, isCatalogFile, MAX_CATALOG_ENTRIES } from '../../shared/control/roles/catalog.ts';
import { MAX_ROLE_FILE_BYTES } from '../../shared/control/roles/role.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { fetchBaseCommit } from '../../workspace/git/fetch-commits.ts';
import { listFolder, readFileOfTree } from '../../workspace/git/tree-folder.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

/** The place of a catalog: a folder of this machine, or a folder of a git repository at a ref. */
export interface RoleCatalogSource {
  readonly source: string;
  readonly ref: string;
  readonly folder: string;
}

/** Whether the folder of a catalog, with `/`, lies inside its source. */
export const isFolderInsideCatalogSource = (folder: string): boolean =>
  !folder.startsWith('/') && !folder.split('/').includes('..');

export interface FetchedRoleCatalog {
  readonly files: readonly CatalogFile[];
  /** The commit that was read; null for a folder of this machine. */
  readonly commit: string | null;
}

/** A single letter before the colon is a Windows drive. */
export const isUrl = (source: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(source);

const TOO_LARGE = `has more than ${MAX_ROLE_FILE_BYTES} bytes`;
const NOT_REGULAR = 'is not a regular file; links are not followed';
/** One more than a catalog may have, so that the excess is reported. */
const MAX_FILES = MAX_CATALOG_ENTRIES + 1;

async function readCatalogFile(path: string, name: string): Promise<CatalogFile> {
  const { size } = await stat(path);
  return size > MAX_ROLE_FILE_BYTES
    ? { name, text: null, unreadableReason: TOO_LARGE }
    : { name, text: await readFile(path, 'utf8') };
}

/** Reads the files directly in a folder, or one file. Subfolders and links are not followed. */
export async function readRoleCatalogFolder(path: string, cwd: string): Promise<readonly CatalogFile[]> {
  const root = resolve(cwd, path);
  const found = await lstat(root).catch(() => null);
  if (found?.isFile()) return [await readCatalogFile(root, path)];
  if (!found?.isDirectory())
    throw new CliError(CLI_EXIT_CODES.usage, 'no_catalog', `${path} is neither a folder nor a file.`, {
      hint: 'Give a folder with .yaml or .md files, one such file, or the URL of a git repository.',
    });
  const files: CatalogFile[] = [];
  for (const entry of (await readdir(root, { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (!isCatalogFile(entry.name) || entry.isDirectory() || files.length >= MAX_FILES) continue;
    files.push(
      entry.isFile()
        ? await readCatalogFile(join(root, entry.name), entry.name)
        : { name: entry.name, text: null, unreadableReason: NOT_REGULAR },
    );
  }
  return files;
}

/** Fetches one commit of a repository into a store of our own and reads the catalog there. Nothing is checked out, and none of its code runs. */
async function readRepository({ source, ref, folder }: RoleCatalogSource): Promise<FetchedRoleCatalog> {
  const workDir = await mkdtemp(join(tmpdir(), 'assay-agents-'));
  try {
    const { store, commit } = await fetchBaseCommit(join(workDir, 'store.git'), {
      url: source,
      ref,
      allowFile: true,
      timeoutMs: 60_000,
    });
    const files: CatalogFile[] = [];
    for (const { path, mode } of await listFolder(store, commit, folder)) {
      if (!isCatalogFile(path) || mode === '40000' || files.length >= MAX_FILES) continue;
      const found = await readFileOfTree(store, commit, path, MAX_ROLE_FILE_BYTES).catch(() => null);
      if (found === null) files.push({ name: path, text: null, unreadableReason: TOO_LARGE });
      else if (found.regular) files.push({ name: path, text: found.content.toString('utf8') });
      else files.push({ name: path, text: null, unreadableReason: NOT_REGULAR });
    }
    return { files, commit };
  } catch (error) {
    if (!(error instanceof CheckoutError)) throw error;
    throw new CliError(CLI_EXIT_CODES.failed, error.failureClass, `${source}: ${error.message}`);
  } finally {
    await removeFolder(workDir);
  }
}

export async function fetchRoleCatalog(source: RoleCatalogSource, cwd: string): Promise<FetchedRoleCatalog> {
  if (isUrl(source.source)) return readRepository(source);
  return { files: await readRoleCatalogFolder(join(source.source, source.folder), cwd), commit: null };
}
