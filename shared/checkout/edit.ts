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

/** Reads several blobs with one process. @throws CheckoutError when they are larger than `maxBytes` together. */
export async function readBlobs(
  store: Store,
  ids: readonly string[],
  maxBytes = 64 * 1_048_576,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return blobs;
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
