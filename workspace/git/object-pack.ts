import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './checkout-error.ts';
import { writeObject } from './edit-tree.ts';
import { readObjects } from './git-object-reader.ts';
import { emptyTreeId, type GitStore, runGitInStoreOrThrow } from './git-store.ts';
import { parseTree } from './tree-folder.ts';

/** An object folder with one pack, which sandboxes may read. Nothing is added to it. */
export interface ObjectPack {
  readonly objectsFolder: string;
  /** Whether the pack holds this object. */
  has(id: string): boolean;
}

const SUBMODULE_MODE = '160000';

/**
 * Packs a commit without its history, and trees, into a new object folder: exactly what is reachable from them.
 * Other objects of the store (hidden tests, other branches, other repositories) are not in it.
 */
export async function createObjectPack(
  store: GitStore,
  content: { readonly commit: string; readonly trees: readonly string[] },
  objectsFolder: string,
): Promise<ObjectPack> {
  const folder = join(objectsFolder, 'pack');
  await mkdir(folder, { recursive: true });
  const { commit } = content;
  // git knows the empty tree without having it.
  const trees = content.trees.filter((tree) => tree !== emptyTreeId(store));
  await runGitInStoreOrThrow(
    store,
    [
      'pack-objects',
      '--revs',
      '--quiet',
      '--threads=1',
      // Searches for no deltas and copies those that are there: the pack lives for one run.
      '--window=0',
      '--delta-base-offset',
      join(folder, 'pack'),
    ],
    { input: `--shallow ${commit}\n${[commit, ...trees].join('\n')}\n`, timeoutMs: 600_000 },
  );
  const index = (await readdir(folder)).find((name) => name.endsWith('.idx'));
  if (index === undefined) throw new CheckoutError('unknown', 'git pack-objects left no index');
  const ids = new PackIndex(await readFile(join(folder, index)), store.format === 'sha256' ? 32 : 20);
  return { objectsFolder, has: (id) => ids.has(id) };
}

/** Object ids of a pack index, version 2. https://git-scm.com/docs/pack-format */
class PackIndex {
  readonly #bytes: Buffer;
  readonly #idBytes: number;
  static readonly #FAN_OUT = 8;
  static readonly #IDS = 8 + 256 * 4;

  constructor(bytes: Buffer, idBytes: number) {
    if (bytes.readUInt32BE(0) !== 0xff744f63 || bytes.readUInt32BE(4) !== 2)
      throw new CheckoutError('unknown', 'the index of a pack is not of version 2');
    this.#bytes = bytes;
    this.#idBytes = idBytes;
  }

  has(id: string): boolean {
    const wanted = Buffer.from(id, 'hex');
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#count(first - 1);
    let high = this.#count(first);
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = PackIndex.#IDS + middle * this.#idBytes;
      const order = this.#bytes.compare(wanted, 0, wanted.length, at, at + this.#idBytes);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  /** How many ids begin with this byte or a smaller one. */
  #count(first: number): number {
    return this.#bytes.readUInt32BE(PackIndex.#FAN_OUT + first * 4);
  }
}

/** Largest object that is copied beside a pack, in bytes. */
const MAX_COPIED_BYTES = 512 * 1_048_576;

/** Copies into `target` what is reachable from a tree of `store` and is not in the pack. */
export async function copyObjectsMissingFromPack(
  store: GitStore,
  tree: string,
  pack: ObjectPack,
  target: GitStore,
): Promise<void> {
  const done = new Set<string>([emptyTreeId(store)]);
  const isMissing = (id: string): boolean => {
    if (done.has(id) || pack.has(id)) return false;
    done.add(id);
    return true;
  };
  let wanted = [tree].filter(isMissing);
  while (wanted.length > 0) {
    const next: string[] = [];
    await readObjects(store, '--batch', wanted, ({ id, type, size }) => {
      if (type !== 'tree' && type !== 'blob') throw new CheckoutError('unknown', `git has no object ${id}`);
      if (size > MAX_COPIED_BYTES)
        throw new CheckoutError('unknown', `object ${id} is too large to be copied`);
      const pieces: Buffer[] = [];
      return {
        write: (piece) => void pieces.push(piece),
        end: () => {
          const content = Buffer.concat(pieces);
          writeObject(target, type, content);
          if (type !== 'tree') return;
          for (const { mode, id: inner } of parseTree(content, store.format))
            if (mode !== SUBMODULE_MODE && isMissing(inner)) next.push(inner);
        },
      };
    });
    wanted = next;
  }
}
