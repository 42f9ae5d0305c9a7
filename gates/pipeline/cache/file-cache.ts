import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CACHE_ENTRY_BYTES } from '../../core/cache-limits.ts';
import type { CacheEntryKey, PersistentCache } from '../../core/persistent-cache.ts';

/** Entries that are kept; the oldest go first. */
const MAX_ENTRIES = 1_000;

export interface FileCacheOptions {
  readonly maxEntries?: number;
  /** Epoch milliseconds. What was written later is not read: a command of this run may have done it. Default: now. */
  readonly since?: number;
}

/** Keeps values in a folder, one file each. The caller answers for the folder: nothing that a patch writes may lie there. */
export function createFileCache(folder: string, options: FileCacheOptions = {}): PersistentCache {
  const { maxEntries = MAX_ENTRIES, since = Date.now() } = options;
  /** What this run has put there itself, which is younger than the run. */
  const own = new Map<string, unknown>();
  const nameOf = ({ kind, hash }: CacheEntryKey): string => `${kind}-${hash}.json`;
  const read = async (name: string): Promise<unknown> => {
    try {
      const file = await open(join(folder, name));
      try {
        // No program can set the time of a change of status; that of the content anybody can set.
        const { size, ctimeMs } = await file.stat();
        if (size > MAX_CACHE_ENTRY_BYTES || ctimeMs > since) return null;
        return JSON.parse(await file.readFile('utf8'));
      } finally {
        await file.close();
      }
    } catch {
      return null;
    }
  };
  const write = async (name: string, value: unknown): Promise<void> => {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > MAX_CACHE_ENTRY_BYTES) return;
    // Several runs may write at once; whoever reads sees a whole entry or none.
    const temporary = join(folder, `${randomUUID()}.tmp`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, join(folder, name));
      own.set(name, value);
      await forgetOldest(folder, maxEntries);
    } catch {
      await rm(temporary, { force: true }).catch(() => {});
    }
  };
  const get = async (name: string): Promise<unknown> => (own.has(name) ? own.get(name) : read(name));
  return {
    get: (key) => get(nameOf(key)),
    put: (key, value) => write(nameOf(key), value),
    // Of two runs that end in the same moment the last one counts.
    update: async (key, change) => {
      const changed = change(await get(nameOf(key)));
      if (changed !== null) await write(nameOf(key), changed);
    },
  };
}

async function forgetOldest(folder: string, maxEntries: number): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= maxEntries) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = aged.sort((a, b) => a.at - b.at).slice(0, names.length - maxEntries);
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })));
}
