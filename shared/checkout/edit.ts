import type { Entry } from './changes.ts';
import { CheckoutError } from './error.ts';
import { encodePath } from './path-bytes.ts';
import { line, mustInStore, type Store } from './store.ts';

/** What a path is to become; null removes it. */
export interface Edit {
  readonly path: string;
  readonly to: Entry | null;
}

/** A new tree: `tree` with some paths replaced. Made in an index, so that no symbolic link of the tree is ever followed. */
export async function editTree(
  store: Store,
  tree: string,
  edits: readonly Edit[],
  index: string,
): Promise<string> {
  if (edits.length === 0) return tree;
  const none = '0'.repeat(tree.length);
  const input = Buffer.concat(
    edits.flatMap(({ path, to }) => [
      Buffer.from(`${to?.mode ?? '0'} ${to?.id ?? none}\t`),
      encodePath(path),
      Buffer.from([0]),
    ]),
  );
  await mustInStore(store, ['read-tree', tree], { index });
  await mustInStore(store, ['update-index', '--add', '--replace', '-z', '--index-info'], { index, input });
  return line(await mustInStore(store, ['write-tree'], { index }));
}

/** Puts a blob into the store and gives its id. */
export const writeBlob = async (store: Store, content: Buffer | string): Promise<string> =>
  line(await mustInStore(store, ['hash-object', '-w', '--stdin'], { input: content }));

/** Blobs that are kept of one store, in bytes: gates read the same changed files one after the other. */
const MAX_KEPT_BYTES = 16 * 1_048_576;
const kept = new WeakMap<Store, { readonly blobs: Map<string, Buffer>; bytes: number }>();

/** Reads several blobs with one process at most. @throws CheckoutError when they are larger than `maxBytes` together. */
export async function readBlobs(
  store: Store,
  ids: readonly string[],
  maxBytes = 64 * 1_048_576,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const known = kept.get(store) ?? { blobs: new Map<string, Buffer>(), bytes: 0 };
  kept.set(store, known);
  let bytes = 0;
  for (const id of ids) {
    const there = known.blobs.get(id);
    if (!there || blobs.has(id)) continue;
    blobs.set(id, there);
    bytes += there.length;
  }
  if (bytes > maxBytes) throw new CheckoutError('unknown', 'the files are too large to be read');
  const wanted = [...new Set(ids)].filter((id) => !blobs.has(id));
  if (wanted.length === 0) return blobs;
  for (const [id, blob] of await read(store, wanted, maxBytes - bytes)) {
    blobs.set(id, blob);
    if (known.blobs.has(id) || blob.length > MAX_KEPT_BYTES / 16) continue;
    if (known.bytes + blob.length > MAX_KEPT_BYTES) {
      known.blobs.clear();
      known.bytes = 0;
    }
    // A copy of its own: a part of a larger buffer would keep all of that.
    known.blobs.set(id, Buffer.from(blob));
    known.bytes += blob.length;
  }
  return blobs;
}

async function read(store: Store, wanted: readonly string[], maxBytes: number): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const output = await mustInStore(store, ['cat-file', '--batch'], {
    input: `${wanted.join('\n')}\n`,
    outputBytes: maxBytes,
  });
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    const [id = '', type, size] = output.toString('latin1', at, end).split(' ');
    if (type !== 'blob' || size === undefined) throw new CheckoutError('unknown', `git has no blob ${id}`);
    const from = end + 1;
    blobs.set(id, output.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return blobs;
}

/** A regular file of a commit, or null when there is none at that path. @throws CheckoutError over `maxBytes`. */
export async function readFileAt(
  store: Store,
  commit: string,
  path: string,
  maxBytes: number,
): Promise<{ readonly content: Buffer; readonly regular: boolean } | null> {
  const listed = await mustInStore(store, ['ls-tree', '-z', commit, '--', path]);
  const [mode, type, id] = listed.toString('latin1').split(/[\s\0]/);
  if (type === undefined || id === undefined || id === '') return null;
  if (type !== 'blob' || mode === '120000') return { content: Buffer.alloc(0), regular: false };
  return {
    content: await mustInStore(store, ['cat-file', 'blob', id], { outputBytes: maxBytes }),
    regular: true,
  };
}
