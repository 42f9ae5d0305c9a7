import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whatever decides what is found: the gates, and what they import. */
const ROOMS = ['../..', '../../../shared'];

let known: Promise<string> | null = null;

/**
 * Tells this code from other code of the same version: a bundle by its content, sources by the sizes and times of all files of these
 * rooms. Results of checks of ours are remembered by it.
 */
export function buildId(): Promise<string> {
  known ??= identify(import.meta.filename);
  return known;
}

async function identify(here: string): Promise<string> {
  const hash = createHash('sha256');
  if (basename(here) !== 'build-id.ts') hash.update(await readFile(here));
  else
    for (const room of ROOMS)
      for (const line of await listing(join(dirname(here), room))) hash.update(`${line}\n`);
  return hash.digest('hex');
}

async function listing(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    files.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}
