import { lstat, mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CatalogFile, isCatalogFile, MAX_ENTRIES } from '../../shared/control/roles/catalog.ts';
import { MAX_ROLE_FILE_BYTES } from '../../shared/control/roles/role.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import { fetchBase } from '../../workspace/git/fetch.ts';
import { listFolder, readFileAt } from '../../workspace/git/folder.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { CliError, EXIT } from '../exit.ts';

/** Where a catalog is: a folder of this machine, or a folder of a git repository at a ref. */
export interface Source {
  readonly source: string;
  readonly ref: string;
  readonly folder: string;
}

export interface Fetched {
  readonly files: readonly CatalogFile[];
  /** The commit that was read; null for a folder. */
  readonly commit: string | null;
}

/** One letter before the colon is a drive of Windows. */
export const isUrl = (source: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(source);

const TOO_LARGE = `has more than ${MAX_ROLE_FILE_BYTES} bytes`;
const NOT_PLAIN = 'is no plain file; links are not followed';
/** A few more than are taken, so that it can be said that there are too many. */
const LOOKED_AT = MAX_ENTRIES + 1;

async function readOne(path: string, name: string): Promise<CatalogFile> {
  const { size } = await stat(path);
  return size > MAX_ROLE_FILE_BYTES
    ? { name, text: null, why: TOO_LARGE }
    : { name, text: await readFile(path, 'utf8') };
}

/** The files directly in a folder, or one file. Nothing below it, and nothing that a link leads to. */
export async function readFolder(path: string, cwd: string): Promise<readonly CatalogFile[]> {
  const root = resolve(cwd, path);
  const found = await lstat(root).catch(() => null);
  if (found?.isFile()) return [await readOne(root, path)];
  if (!found?.isDirectory())
    throw new CliError(EXIT.usage, 'no_catalog', `${path} is no folder and no file.`, {
      hint: 'Give a folder with .yaml or .md files, one of these, or the URL of a git repository.',
    });
  const files: CatalogFile[] = [];
  for (const entry of (await readdir(root, { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (!isCatalogFile(entry.name) || entry.isDirectory() || files.length >= LOOKED_AT) continue;
    files.push(
      entry.isFile()
        ? await readOne(join(root, entry.name), entry.name)
        : { name: entry.name, text: null, why: NOT_PLAIN },
    );
  }
  return files;
}

/** A catalog of a repository: one commit is fetched into a store of our own, and read there. Nothing is checked out, and nothing of it runs. */
async function readRepository({ source, ref, folder }: Source): Promise<Fetched> {
  const workDir = await mkdtemp(join(tmpdir(), 'assay-agents-'));
  try {
    const { store, commit } = await fetchBase(join(workDir, 'store.git'), {
      url: source,
      ref,
      allowFile: true,
      timeoutMs: 60_000,
    });
    const files: CatalogFile[] = [];
    for (const { path, mode } of await listFolder(store, commit, folder)) {
      if (!isCatalogFile(path) || mode === '40000' || files.length >= LOOKED_AT) continue;
      const found = await readFileAt(store, commit, path, MAX_ROLE_FILE_BYTES).catch(() => null);
      if (found === null) files.push({ name: path, text: null, why: TOO_LARGE });
      else if (found.regular) files.push({ name: path, text: found.content.toString('utf8') });
      else files.push({ name: path, text: null, why: NOT_PLAIN });
    }
    return { files, commit };
  } catch (error) {
    if (!(error instanceof CheckoutError)) throw error;
    throw new CliError(EXIT.failed, error.failureClass, `${source}: ${error.message}`);
  } finally {
    await removeFolder(workDir);
  }
}

export async function fetchCatalog(source: Source, cwd: string): Promise<Fetched> {
  if (isUrl(source.source)) return readRepository(source);
  return { files: await readFolder(join(source.source, source.folder), cwd), commit: null };
}
