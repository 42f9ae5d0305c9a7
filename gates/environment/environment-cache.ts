import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { copyPreparedFiles, type PreparedFiles } from './prepared-files.ts';

/** Most preparations that are kept in one folder; the one that was used longest ago goes first. */
const MAX_KEPT = 5;
const MANIFEST = 'manifest.json';
const DRAFT = /^draft-/;

const Manifest = z.strictObject({
  schema_version: z.literal(2),
  place: z.string(),
  roots: z.array(z.string()),
  relocated: z.array(z.string()),
  dropped: z.array(z.string()),
  cargoHome: z.string().nullable(),
  bytes: z.number(),
});

/** A preparation that is kept between runs. */
export interface CachedEnvironment {
  readonly key: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly lastUsed: number;
}

const readManifest = async (entry: string): Promise<Omit<PreparedFiles, 'folder'> | null> => {
  try {
    const { schema_version: _, ...files } = Manifest.parse(
      JSON.parse(await readFile(join(entry, MANIFEST), 'utf8')),
    );
    return files;
  } catch {
    return null;
  }
};

/** Returns the files that are kept under a key; null: none are. */
export async function readCachedPreparedFiles(
  cacheFolder: string,
  key: string,
): Promise<PreparedFiles | null> {
  const entry = join(cacheFolder, key);
  const files = await readManifest(entry);
  if (files === null) return null;
  const now = new Date();
  await utimes(join(entry, MANIFEST), now, now).catch(() => {});
  return { ...files, folder: join(entry, 'files') };
}

/** Keeps a preparation for later runs. Several runs may do so at once; a reader sees a whole entry or none. */
export async function cachePreparedFiles(
  files: PreparedFiles,
  cacheFolder: string,
  key: string,
): Promise<void> {
  const draft = join(cacheFolder, `draft-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true });
    const { folder: _, ...rest } = await copyPreparedFiles(files, join(draft, 'files'));
    await writeFile(join(draft, MANIFEST), JSON.stringify({ schema_version: 2, ...rest }));
    await rename(draft, join(cacheFolder, key));
    const old = (await listCachedEnvironments(cacheFolder)).slice(MAX_KEPT);
    for (const each of old) await removeFolder(join(cacheFolder, each.key));
  } catch {
    // A full disk, or another run that was faster: this run has what it needs.
    await removeFolder(draft);
  }
}

/** Lists what is kept in a folder, the last used first. */
export async function listCachedEnvironments(cacheFolder: string): Promise<CachedEnvironment[]> {
  const names = await readdir(cacheFolder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => !DRAFT.test(name))
      .map(async (key) => {
        const entry = join(cacheFolder, key);
        const files = await readManifest(entry);
        return files === null
          ? []
          : [{ key, bytes: files.bytes, lastUsed: (await stat(join(entry, MANIFEST))).mtimeMs }];
      }),
  );
  return found.flat().toSorted((a, b) => b.lastUsed - a.lastUsed);
}

/** Entries, and drafts that a run which was killed has left. */
const ENTRY = /^(?:[0-9a-f]{64}|draft-[0-9a-f-]{36})$/;

/** Removes all preparations that are kept in a folder, also those that cannot be read. Other files stay. */
export async function removeKeptEnvironments(cacheFolder: string): Promise<void> {
  const names = await readdir(cacheFolder).catch(() => []);
  for (const name of names) if (ENTRY.test(name)) await removeFolder(join(cacheFolder, name));
}
