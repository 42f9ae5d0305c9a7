import { CheckoutError } from './checkout-error.ts';
import { parseRawDiff } from './file-changes.ts';
import { DISCARDING_GIT_OBJECT_SINK, readObjects } from './git-object-reader.ts';
import { type GitStore, runGitInStoreOrThrow } from './git-store.ts';
import { decodePath, encodePath } from './path-encoding.ts';

/** A file as a tree lists it. */
export interface ListedFile {
  /** See path-bytes.ts. */
  readonly path: string;
  /** As git writes it, e.g. `100644`; `120000` is a symbolic link, `160000` a submodule. */
  readonly mode: string;
  readonly id: string;
  /** In bytes; null for a submodule. */
  readonly size: number | null;
}

const SUBMODULE = '160000';
/** Lists that are kept of one store; gates look at two or three trees. */
const MAX_LISTS = 6;
const lists = new WeakMap<GitStore, Map<string, Promise<readonly ListedFile[]>>>();

/**
 * Every file of a commit or tree, in git's order. Asked again for the same id, it is not listed again: what an id names never changes.
 * Of a second tree git is asked for what differs from the first.
 */
export function listFiles(store: GitStore, treeish: string): Promise<readonly ListedFile[]> {
  const known = lists.get(store) ?? new Map<string, Promise<readonly ListedFile[]>>();
  lists.set(store, known);
  const there = known.get(treeish);
  if (there) return there;
  const [near] = known.keys();
  const listing =
    near === undefined
      ? list(store, treeish)
      : listFiles(store, near).then(
          (files) => listBeside(store, near, files, treeish),
          () => list(store, treeish),
        );
  if (!/^[0-9a-f]{40,64}$/.test(treeish)) return listing;
  for (const oldest of known.keys()) if (known.size >= MAX_LISTS) known.delete(oldest);
  known.set(treeish, listing);
  listing.catch(() => known.delete(treeish));
  return listing;
}

const list = async (store: GitStore, treeish: string): Promise<ListedFile[]> =>
  parse(await runGitInStoreOrThrow(store, ['ls-tree', '-r', '-l', '-z', '--full-tree', treeish]));

/** The files of a tree, by those of another one. */
async function listBeside(
  store: GitStore,
  near: string,
  files: readonly ListedFile[],
  treeish: string,
): Promise<readonly ListedFile[]> {
  const differs = await runGitInStoreOrThrow(store, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    near,
    treeish,
  ]);
  const changes = new Map(parseRawDiff(differs).map((change) => [change.path, change]));
  if (changes.size === 0) return files;
  const sizes = new Map<string, number>();
  const blobs = [...changes.values()].flatMap(({ headEntry }) =>
    headEntry && headEntry.mode !== SUBMODULE ? [headEntry.id] : [],
  );
  await readObjects(store, '--batch-check', [...new Set(blobs)], ({ id, type, size }) => {
    if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
    sizes.set(id, size);
    return DISCARDING_GIT_OBJECT_SINK;
  });
  const written = (path: string): ListedFile[] => {
    const { headEntry = null } = changes.get(path) ?? {};
    return headEntry ? [{ path, ...headEntry, size: sizes.get(headEntry.id) ?? null }] : [];
  };
  const known = new Set(files.map(({ path }) => path));
  const stayed = files.flatMap((file) => (changes.has(file.path) ? written(file.path) : [file]));
  const added = [...changes.keys()].filter((path) => !known.has(path)).flatMap(written);
  return added.length === 0 ? stayed : merged(stayed, added);
}

/** Both in one list; each is in git's order. */
function merged(files: readonly ListedFile[], added: readonly ListedFile[]): ListedFile[] {
  const all: ListedFile[] = [];
  let from = 0;
  for (const each of added) {
    let at = from;
    for (let end = files.length; at < end; ) {
      const middle = (at + end) >> 1;
      if (inOrder(files[middle]?.path ?? '', each.path)) at = middle + 1;
      else end = middle;
    }
    for (; from < at; from++) all.push(files[from] as ListedFile);
    all.push(each);
  }
  for (; from < files.length; from++) all.push(files[from] as ListedFile);
  return all;
}

/** Where bytes and the units of a string may have another order. */
const HIGH = /[\ud800-\uffff]/;
/** Whether git lists the one path before the other. */
const inOrder = (one: string, other: string): boolean =>
  HIGH.test(one + other) ? Buffer.compare(encodePath(one), encodePath(other)) < 0 : one < other;

function parse(listed: Buffer): ListedFile[] {
  const files: ListedFile[] = [];
  for (let from = 0; from < listed.length; ) {
    const end = listed.indexOf(0, from);
    const tab = listed.indexOf(0x09, from);
    const [mode = '', , id = '', size = ''] = listed.toString('latin1', from, tab).split(/ +/);
    files.push({
      path: decodePath(listed.subarray(tab + 1, end)),
      mode,
      id,
      size: size === '-' ? null : Number(size),
    });
    from = end + 1;
  }
  return files;
}

export const isRegularFile = ({ mode }: { readonly mode: string }): boolean => mode.startsWith('100');
