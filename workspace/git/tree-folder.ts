import { CheckoutError } from './checkout-error.ts';
import { DISCARDING_GIT_OBJECT_SINK, readObjects } from './git-object-reader.ts';
import type { GitStore, ObjectFormat } from './git-store.ts';
import { decodePath } from './path-encoding.ts';
import { readBlobs } from './read-blobs.ts';

/** What lies directly in a folder. */
export interface FolderEntry {
  /** From the top of the tree; see path-bytes.ts. */
  readonly path: string;
  /** As git stores it, e.g. `100644`; `40000` is a folder, `120000` a symbolic link, `160000` a submodule. */
  readonly mode: string;
  readonly id: string;
}

export const FOLDER_MODE = '40000';
/** Largest folder that is read, in bytes: some hundred thousand names. */
const MAX_TREE_BYTES = 16 * 1_048_576;
/** Folders that are kept of one store. */
const MAX_KEPT = 256;
const kept = new WeakMap<GitStore, Map<string, Promise<readonly FolderEntry[]>>>();

/** What lies directly in one folder of a commit or tree; '' is the top. Nothing where there is none. */
export async function listFolder(
  store: GitStore,
  treeish: string,
  folder: string,
): Promise<readonly FolderEntry[]> {
  let entries = await keptTree(store, `${treeish}^{tree}`);
  let at = '';
  for (const name of folder === '' ? [] : folder.split('/')) {
    const next = entries.find(({ path }) => path === name);
    if (next?.mode !== FOLDER_MODE) return [];
    entries = await keptTree(store, next.id);
    at += `${name}/`;
  }
  return at === '' ? entries : entries.map((entry) => ({ ...entry, path: `${at}${entry.path}` }));
}

/** A file of a commit or tree, or null when there is none at that path. @throws CheckoutError over `maxBytes`. */
export async function readFileOfTree(
  store: GitStore,
  treeish: string,
  path: string,
  maxBytes: number,
): Promise<{ readonly content: Buffer; readonly regular: boolean } | null> {
  const entries = await listFolder(store, treeish, path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  const entry = entries.find((each) => each.path === path);
  if (!entry) return null;
  if (!entry.mode.startsWith('100')) return { content: Buffer.alloc(0), regular: false };
  const content = (await readBlobs(store, [entry.id], maxBytes)).get(entry.id);
  return { content: content ?? Buffer.alloc(0), regular: true };
}

/** What an id names never changes; a name that is no id may be another tree next time. */
function keptTree(store: GitStore, name: string): Promise<readonly FolderEntry[]> {
  if (!/^[0-9a-f]{40,64}(?:\^\{tree\})?$/.test(name)) return readTree(store, name);
  const known = kept.get(store) ?? new Map<string, Promise<readonly FolderEntry[]>>();
  kept.set(store, known);
  const there = known.get(name);
  if (there) return there;
  const reading = readTree(store, name);
  if (known.size >= MAX_KEPT) known.clear();
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}

async function readTree(store: GitStore, name: string): Promise<readonly FolderEntry[]> {
  const pieces: Buffer[] = [];
  await readObjects(store, '--batch', [name], ({ type, size }) => {
    if (type !== 'tree') throw new CheckoutError('unknown', `git has no tree ${name}`);
    if (size > MAX_TREE_BYTES) throw new CheckoutError('unknown', 'a folder is too large to be read');
    return { ...DISCARDING_GIT_OBJECT_SINK, write: (bytes) => void pieces.push(bytes) };
  });
  return parseTree(Buffer.concat(pieces), store.format);
}

/**
 * Parses a tree object, a list of `<mode> <name>\0<id>` with the id in binary. Paths are names.
 * https://git-scm.com/docs/git-mktree has the same in text.
 */
export function parseTree(tree: Buffer, format: ObjectFormat): FolderEntry[] {
  const idBytes = format === 'sha256' ? 32 : 20;
  const entries: FolderEntry[] = [];
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    entries.push({
      mode: tree.toString('latin1', at, space),
      path: decodePath(tree.subarray(space + 1, end)),
      id: tree.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}
