import { join } from 'node:path';
import { type GitTreeEntry, writeGitCommit, writeGitObject, writeGitTree } from './git-objects.ts';
import type { TestRepository } from './git-repository.ts';

/** Commits files at paths that no `git add` takes, such as `../a` or `.git/config`, on `main`. @returns the commit. */
export function commitUnusualPaths(repository: TestRepository, paths: readonly string[]): string {
  const objects = join(repository.dir, '.git/objects');
  const id = writeGitObject(objects, 'blob', Buffer.from('x\n'));
  const files = new Map(
    ['a.txt', ...paths].map((path): [string, GitTreeEntry] => [path, { mode: '100644', id }]),
  );
  const commit = writeGitCommit(objects, {
    tree: writeGitTree(objects, files),
    parents: [repository.git('rev-parse', 'main')],
    message: 'unusual',
    who: 'Ada <ada@example.org>',
    when: 1_700_000_000,
  });
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

/** Paths that git refuses to put into an index. */
export const UNUSUAL_PATHS = ['../up.txt', 'dir/../../up.txt', '.git/config', 'dir/.GIT/hooks'];
