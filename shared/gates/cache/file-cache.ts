import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CachedResult, type GateCache } from './cache.ts';

/** Largest entry in bytes; a larger result is not remembered. */
const MAX_ENTRY_BYTES = 4 * 1_048_576;
/** Entries that are kept; the oldest go first. */
const MAX_ENTRIES = 1_000;

/** Remembers results in a folder, one file each. The caller answers for the folder: nothing that a patch writes may lie there. */
export function fileCache(folder: string, maxEntries: number = MAX_ENTRIES): GateCache {
  const place = (key: string): string => join(folder, `${key}.json`);
  return {
    get: async (key) => {
      try {
        const file = await open(place(key));
        try {
          if ((await file.stat()).size > MAX_ENTRY_BYTES) return null;
          const parsed = CachedResult.safeParse(JSON.parse(await file.readFile('utf8')));
          return parsed.success && parsed.data.key === key ? parsed.data : null;
        } finally {
          await file.close();
        }
      } catch {
        return null;
      }
    },
    put: async (result) => {
      const text = JSON.stringify(result);
      if (Buffer.byteLength(text) > MAX_ENTRY_BYTES) return;
      // Several runs may write at once; whoever reads sees a whole entry or none.
      const temporary = join(folder, `${randomUUID()}.tmp`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(temporary, text, { mode: 0o600 });
        await rename(temporary, place(result.key));
        await forgetOldest(folder, maxEntries);
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
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
