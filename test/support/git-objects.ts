import { dirname } from 'node:path';
import { writeObject as write } from '../../workspace/git/edit-tree.ts';

/** A file or link as a tree has it. */
export interface GitTreeEntry {
  readonly mode: '100644' | '100755' | '120000';
  readonly id: string;
}

const FOLDER = '40000';

/** Writes one object of a repository of fixtures. */
export const writeGitObject = (objects: string, type: 'blob' | 'tree' | 'commit', content: Buffer): string =>
  write({ dir: dirname(objects), format: 'sha1' }, type, content);

/**
 * Writes the trees of these files and gives the id of the first.
 * @param files by path; a path is its bytes, one character each, as not all of them are UTF-8.
 */
export function writeGitTree(objects: string, files: ReadonlyMap<string, GitTreeEntry>): string {
  const here: [name: string, mode: string, id: string][] = [];
  const below = new Map<string, Map<string, GitTreeEntry>>();
  for (const [path, { mode, id }] of files) {
    const end = path.indexOf('/');
    if (end < 0) here.push([path, mode, id]);
    else {
      const folder = path.slice(0, end);
      const inside = below.get(folder) ?? new Map<string, GitTreeEntry>();
      below.set(folder, inside.set(path.slice(end + 1), { mode, id }));
    }
  }
  for (const [name, inside] of below) here.push([name, FOLDER, writeGitTree(objects, inside)]);
  // A folder is sorted as if its name ended with a slash. https://git-scm.com/docs/git-mktree
  const key = ([name, mode]: (typeof here)[number]): string => (mode === FOLDER ? `${name}/` : name);
  here.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  const lines = here.flatMap(([name, mode, id]) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return writeGitObject(objects, 'tree', Buffer.concat(lines));
}

/** @param when seconds since 1970. */
export function writeGitCommit(
  objects: string,
  {
    tree,
    parents,
    message,
    who,
    when,
  }: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly message: string;
    readonly who: string;
    readonly when: number;
  },
): string {
  const by = `${who} ${when} +0000`;
  const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${by}`, `committer ${by}`];
  return writeGitObject(objects, 'commit', Buffer.from(`${head.join('\n')}\n\n${message}`));
}
