import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { CheckoutError } from './checkout-error.ts';
import type { GitTreeEntry } from './file-changes.ts';
import type { GitStore } from './git-store.ts';
import { encodePath } from './path-encoding.ts';
import { FOLDER_MODE, listFolder } from './tree-folder.ts';

/** Writes one object as git does, and gives its id. A process of git for each took longer than all else about a small tree. */
export function writeObject(
  { dir, format }: GitStore,
  type: 'blob' | 'tree' | 'commit',
  content: Buffer,
): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash(format).update(whole).digest('hex');
  const folder = join(dir, 'objects', id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  // It gets its name when it is whole: others read the store meanwhile. What is left of one that was cut off git removes by this name.
  const unfinished = join(folder, `tmp_obj_${randomUUID()}`);
  writeFileSync(unfinished, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(unfinished, path);
  return id;
}

/** What a path is to become; null removes it. */
export interface GitTreeEdit {
  readonly path: string;
  readonly entry: GitTreeEntry | null;
}

/** A folder that is edited, by name: what it has, and folders in it that are edited, too. */
type EditableFolder = Map<string, GitTreeEntry | EditableFolder>;

/**
 * A new tree: `tree` with some paths replaced. Made of git's objects alone, so that no symbolic link of the tree is ever followed. What is put
 * where a folder was, or below a file, takes its place; a folder without files is none.
 */
export async function editTree(
  store: GitStore,
  tree: string,
  edits: readonly GitTreeEdit[],
): Promise<string> {
  if (edits.length === 0) return tree;
  const top = await folderOf(store, tree);
  for (const { path, entry } of edits) await edit(store, top, path.split('/'), entry);
  return writeFolder(store, top);
}

/** Puts a blob into the store and gives its id. */
export const writeBlob = (store: GitStore, content: Buffer | string): string =>
  writeObject(store, 'blob', Buffer.from(content));

const folderOf = async (store: GitStore, tree: string): Promise<EditableFolder> =>
  new Map((await listFolder(store, tree, '')).map(({ path, mode, id }) => [path, { mode, id }]));

async function edit(
  store: GitStore,
  folder: EditableFolder,
  [name = '', ...below]: readonly string[],
  to: GitTreeEntry | null,
): Promise<void> {
  if (name === '') throw new CheckoutError('unknown', 'a path of a tree has a name without letters');
  const there = folder.get(name);
  const isFolder = there instanceof Map || there?.mode === FOLDER_MODE;
  if (below.length === 0) {
    if (to) folder.set(name, to);
    else if (!isFolder) folder.delete(name);
    return;
  }
  if (!isFolder && to === null) return;
  const inner =
    there instanceof Map ? there : isFolder && there ? await folderOf(store, there.id) : new Map();
  folder.set(name, inner);
  await edit(store, inner, below, to);
}

/** https://git-scm.com/docs/git-mktree knows the same in text. */
function writeFolder(store: GitStore, folder: EditableFolder): string {
  const lines: { readonly key: Buffer; readonly line: Buffer }[] = [];
  for (const [name, what] of folder) {
    const isEdited = what instanceof Map;
    const { mode, id } = isEdited ? { mode: FOLDER_MODE, id: writeFolder(store, what) } : what;
    if (isEdited && !hasFiles(what)) continue;
    const bytes = encodePath(name);
    lines.push({
      // A folder is sorted as if its name ended with a slash.
      key: mode === FOLDER_MODE ? Buffer.concat([bytes, Buffer.from('/')]) : bytes,
      line: Buffer.concat([Buffer.from(`${mode} `), bytes, Buffer.from([0]), Buffer.from(id, 'hex')]),
    });
  }
  lines.sort((one, other) => Buffer.compare(one.key, other.key));
  return writeObject(store, 'tree', Buffer.concat(lines.map(({ line }) => line)));
}

const hasFiles = (folder: EditableFolder): boolean =>
  [...folder.values()].some((what) => !(what instanceof Map) || hasFiles(what));
