import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFileChanges } from '../../../workspace/git/file-changes.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { createRepositoryLayoutError } from '../../../workspace/git/repository-layout.ts';
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

test('takes the branch of the remote where there is no local one, and the first name that there is', async () => {
  const origin = createTestRepository({ 'a.txt': 'a\n' });
  origin.git('branch', '-m', 'main', 'trunk');
  const clone = createTemporaryFolder();
  origin.git('clone', '--quiet', origin.dir, clone);
  origin.git('-C', clone, 'checkout', '--quiet', '-b', 'work');
  origin.git('-C', clone, 'branch', '--quiet', '-D', 'trunk');
  const captured = await captureWorkingTree(clone, ['main', 'trunk'], createTemporaryFolder());
  expect(captured).toMatchObject({ baseRef: 'origin/trunk', missingPaths: [] });
});

test('names fetch-depth where a shallow clone has no base', async () => {
  const origin = createTestRepository({ 'a.txt': 'a\n' });
  origin.commit({ 'a.txt': 'b\n' });
  origin.git('checkout', '--quiet', '-b', 'work');
  origin.commit({ 'a.txt': 'c\n' });
  const clone = createTemporaryFolder();
  origin.git('clone', '--quiet', '--depth', '1', '--branch', 'work', origin.url, clone);
  await expect(captureWorkingTree(clone, 'main', createTemporaryFolder())).rejects.toMatchObject({
    failureClass: 'base_ref_missing',
    message: expect.stringContaining('shallow'),
    hint: expect.stringContaining('fetch-depth: 0'),
  });
});

test('fetches the files of a partial clone, and leaves the clone as it is', async () => {
  const origin = createTestRepository({ 'old.txt': 'old\n', 'kept.txt': 'kept\n' });
  origin.git('config', 'uploadpack.allowFilter', 'true');
  origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  origin.git('checkout', '--quiet', '-b', 'work');
  origin.commit({ 'old.txt': 'new\n' });
  const clone = createTemporaryFolder();
  origin.git('clone', '--quiet', '--filter=blob:none', '--branch', 'work', origin.url, clone);
  const captured = await captureWorkingTree(clone, 'main', createTemporaryFolder());
  const [change] = await listFileChanges(captured.store, captured.base, captured.tree);
  const blobs = await readBlobs(captured.store, [change?.baseEntry?.id ?? '']);
  expect([...blobs.values()].map(String)).toEqual(['old\n']);

  origin.git('-C', clone, 'remote', 'set-url', 'origin', 'file:///nowhere');
  await expect(captureWorkingTree(clone, 'main', createTemporaryFolder())).rejects.toMatchObject({
    message: expect.stringContaining('This clone is partial'),
    hint: expect.stringContaining('git fetch --refetch'),
  });
});

test('names nested repositories, edits inside of submodules, and raw content at paths of Git LFS', async () => {
  const inner = createTestRepository({ 'lib.py': 'X = 1\n' });
  const repository = createTestRepository({
    'a.txt': 'a\n',
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
  });
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.url, 'vendor/sub');
  repository.git('commit', '--quiet', '-m', 'submodule');
  repository.git('checkout', '--quiet', '-b', 'work');
  const clean = await captureWorkingTree(repository.dir, 'main', createTemporaryFolder());
  expect(clean.missingPaths).toEqual([]);

  repository.write({
    'vendor/sub/lib.py': 'X = 2\n',
    'raw.bin': 'raw\n',
    'services/new/a.py': '1\n',
    'empty/b.py': '1\n',
  });
  repository.write({ 'ok.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' });
  for (const folder of ['services/new', 'empty']) repository.git('init', '--quiet', folder);
  repository.git('-C', 'services/new', 'add', '--all');
  repository.git('-C', 'services/new', 'commit', '--quiet', '-m', 'inner');
  const { missingPaths } = await captureWorkingTree(repository.dir, 'main', createTemporaryFolder());
  expect(missingPaths.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
    'empty is a repository of its own without a commit',
    'services/new is a repository of its own, and no submodule',
    'vendor/sub is a submodule with edits that are not committed in it',
    'raw.bin holds its content itself at a path that Git LFS keeps',
  ]);
});

test('says what to do where git does not read a folder of another user', () => {
  const stderr = "fatal: detected dubious ownership in repository at '/srv/shop'\nTo add an exception…";
  const error = createRepositoryLayoutError('/srv/shop', {
    stderr,
    stdout: Buffer.alloc(0),
    code: 128,
    stopped: null,
  });
  expect(error).toMatchObject({
    message: 'git does not read /srv/shop, because another user owns it',
    hint: 'If you trust it: git config --global --add safe.directory /srv/shop',
  });
});

test('a folder outside of any repository is refused', async () => {
  await expect(
    captureWorkingTree(createTemporaryFolder(), 'main', createTemporaryFolder()),
  ).rejects.toMatchObject({
    failureClass: 'repository_unavailable',
  });
});
