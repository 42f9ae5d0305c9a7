import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFileChanges } from '../../../workspace/git/file-changes.ts';
import { captureWorkingTree } from '../../../workspace/git/working-tree.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

/** Names, times and contents of everything in a folder, `.git` included. Git itself freshens the times of objects that it meets. */
function fingerprint(dir: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }).sort((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name);
    hash.update(path.includes('.git/objects/') ? path : `${path} ${statSync(path).mtimeMs} `);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

test('a folder is taken as it stands, and is not touched', async () => {
  const repository = createTestRepository({
    'kept.txt': 'kept\n',
    'gone.txt': 'gone\n',
    'changed.txt': 'old\n',
    '.gitignore': '*.log\n',
    'forced.log': 'tracked in spite of being ignored\n',
  });
  const base = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '-b', 'work');
  repository.commit({ 'committed.txt': 'c\n' });
  repository.write({
    'gone.txt': null,
    'changed.txt': 'new\n',
    'sub/untracked.txt': 'u\n',
    'noise.log': 'ignored\n',
    'forced.log': 'changed\n',
  });
  repository.git('update-index', '--assume-unchanged', 'changed.txt');
  const before = fingerprint(repository.dir);

  const captured = await captureWorkingTree(join(repository.dir, 'sub'), 'main', createTemporaryFolder());
  expect(captured.base).toBe(base);
  const changes = await listFileChanges(captured.store, captured.base, captured.tree);
  expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'modified changed.txt',
    'added committed.txt',
    'modified forced.log',
    'deleted gone.txt',
    'added sub/untracked.txt',
  ]);
  expect(fingerprint(repository.dir)).toBe(before);
});

test.each([
  ['a base that is not there', 'nope', 'base_ref_missing'],
  ['a base that is an option', '--all', 'base_ref_missing'],
])('%s is refused', async (_, ref, failureClass) => {
  await expect(
    captureWorkingTree(createTestRepository().dir, ref, createTemporaryFolder()),
  ).rejects.toMatchObject({
    failureClass,
  });
});

test('a folder outside of any repository is refused', async () => {
  await expect(
    captureWorkingTree(createTemporaryFolder(), 'main', createTemporaryFolder()),
  ).rejects.toMatchObject({
    failureClass: 'repository_unavailable',
  });
});
