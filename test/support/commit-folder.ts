import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeGitIndex, type GitIndexEntry } from './git-index.ts';
import { writeGitCommit, writeGitObject, writeGitTree } from './git-objects.ts';

/** Files beside what a new repository has, by which git would do more than to take the folder as it is. */
const STEERED = ['info', 'MERGE_HEAD', 'packed-refs', 'shallow'];

/** Tells an index that git has written since from one of ours. */
const lastIndex = new Map<string, string>();
const indexIn = (gitDir: string): string => {
  const stat = statSync(join(gitDir, 'index'), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
};

/**
 * Commits all that is in a repository's folder, as `git add --all --force` and `git commit` do, without their processes: most of the time
 * of our fixtures went there. Null where only git itself knows what it would do: hooks, attributes, repositories in it, an index that
 * something else has written.
 * @param config of the repository, as it was made.
 */
export function commitFolder(
  dir: string,
  { config, who, message }: { readonly config: string; readonly who: string; readonly message: string },
): string | null {
  const gitDir = join(dir, '.git');
  const objects = join(gitDir, 'objects');
  const names = readdirSync(gitDir);
  if (
    message.trim() === '' ||
    names.some((name) => STEERED.includes(name)) ||
    readFileSync(join(gitDir, 'config'), 'utf8') !== config ||
    readdirSync(join(gitDir, 'hooks')).length > 0 ||
    indexIn(gitDir) !== (lastIndex.get(gitDir) ?? 'none')
  )
    return null;
  const files = filesIn(dir, objects);
  if (files === null) return null;
  const ref = /^ref: (.*)\n$/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  if (ref === undefined) return null;
  const before = readText(join(gitDir, ref));
  const id = writeGitCommit(objects, {
    tree: writeGitTree(objects, files),
    parents: before === null ? [] : [before.trim()],
    message: `${message.trim()}\n`,
    who,
    when: Math.floor(Date.now() / 1_000),
  });
  writeFileSync(join(gitDir, 'index'), encodeGitIndex(files));
  lastIndex.set(gitDir, indexIn(gitDir));
  writeFileSync(join(gitDir, ref), `${id}\n`);
  return id;
}

/** All files of a folder, and the blobs of them; null where git would have to be asked. */
function filesIn(dir: string, objects: string): Map<string, GitIndexEntry> | null {
  const files = new Map<string, GitIndexEntry>();
  const left: Buffer[] = [Buffer.alloc(0)];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const at = (name: Buffer): Buffer => Buffer.concat([Buffer.from(dir), Buffer.from('/'), name]);
    for (const name of readdirSync(at(folder), { encoding: 'buffer' })) {
      const plain = name.toString('latin1');
      if (folder.length === 0 && plain === '.git') continue;
      if (plain === '.git' || plain === '.gitattributes' || plain === '.gitmodules') return null;
      const path = Buffer.concat([folder, name]);
      const stat = lstatSync(at(path), { bigint: true });
      if (stat.isDirectory()) left.push(Buffer.concat([path, Buffer.from('/')]));
      else if (stat.isFile() || stat.isSymbolicLink()) {
        const isLink = stat.isSymbolicLink();
        const content = isLink ? readlinkSync(at(path), { encoding: 'buffer' }) : readFileSync(at(path));
        files.set(path.toString('latin1'), {
          mode: isLink ? '120000' : (stat.mode & 0o100n) === 0n ? '100644' : '100755',
          id: writeGitObject(objects, 'blob', content),
          stat,
        });
      } else return null;
    }
  }
  return files;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}
