import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePath } from '../../workspace/git/path-encoding.ts';

/** Entries that are kept: beyond, folders are read anew rather than remembered. */
const KEPT = 200_000;

/** Names as bytes: those that are no text would lead nowhere as text. */
async function read(folder: string): Promise<Dirent<Buffer>[]> {
  try {
    const found = await readdir(encodePath(folder), { withFileTypes: true, encoding: 'buffer' });
    // In a fixed order, so that the same tree always names the same match.
    return found.sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}

/** What lies in the folders of a tree that nothing changes meanwhile: each is read once, however many patterns are looked for. */
export class FolderListingCache {
  readonly #root: string;
  readonly #known = new Map<string, readonly Dirent<Buffer>[]>();
  #kept = 0;

  /** @param root real path of the tree. */
  constructor(root: string) {
    this.#root = root;
  }

  /** @param folder from the root; empty: the root itself. Empty where there is none, or none that may be read. */
  async readEntries(folder: string): Promise<readonly Dirent<Buffer>[]> {
    const known = this.#known.get(folder);
    if (known) return known;
    const found = await read(join(this.#root, folder));
    this.#kept += found.length + 1;
    if (this.#kept <= KEPT) this.#known.set(folder, found);
    return found;
  }
}
