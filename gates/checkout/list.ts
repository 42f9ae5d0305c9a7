import { decodePath } from './path-bytes.ts';
import { mustInStore, type Store } from './store.ts';

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

/** Lists that are kept of one store; gates look at two or three trees. */
const MAX_LISTS = 6;
const lists = new WeakMap<Store, Map<string, Promise<readonly ListedFile[]>>>();

/** Every file of a commit or tree, in git's order. Asked again for the same id, it is not listed again: what an id names never changes. */
export function listFiles(store: Store, treeish: string): Promise<readonly ListedFile[]> {
  const known = lists.get(store) ?? new Map<string, Promise<readonly ListedFile[]>>();
  lists.set(store, known);
  const there = known.get(treeish);
  if (there) return there;
  const listing = list(store, treeish);
  if (!/^[0-9a-f]{40,64}$/.test(treeish)) return listing;
  for (const oldest of known.keys()) if (known.size >= MAX_LISTS) known.delete(oldest);
  known.set(treeish, listing);
  listing.catch(() => known.delete(treeish));
  return listing;
}

const list = async (store: Store, treeish: string): Promise<ListedFile[]> =>
  parse(await mustInStore(store, ['ls-tree', '-r', '-l', '-z', '--full-tree', treeish]));

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

export const isRegular = ({ mode }: { readonly mode: string }): boolean => mode.startsWith('100');
