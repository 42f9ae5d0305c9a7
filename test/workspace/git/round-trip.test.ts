import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MAX_PATCH_BYTES } from '../../../shared/contract/resource-names.ts';
import { applyPatch, checkOutTree } from '../../../workspace/git/checkout-tree.ts';
import { fetchBaseCommit, resolveTree } from '../../../workspace/git/fetch-commits.ts';
import { listFileChanges, listTouchedPaths } from '../../../workspace/git/file-changes.ts';
import { createGitStore } from '../../../workspace/git/git-store.ts';
import { takeWorkTreeSnapshot } from '../../../workspace/git/work-tree-snapshot.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

type Content = string | Buffer | { readonly link: string } | { readonly script: string };

const LONG = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
const BASE: Record<string, string | Buffer> = {
  'a.txt': LONG,
  'dir/b.txt': 'b\n',
  'dir/c.bin': Buffer.from([0, 1, 2, 255, 254, 0]),
  'no-newline': 'x',
  'crlf.txt': 'one\r\ntwo\r\n',
  'sp ace "quoted"\ttab.txt': 's\n',
  '.gitignore': 'ignored/\n',
  '.gitattributes': '*.txt text eol=crlf filter=evil diff=evil\n',
};
const PATHS = [
  ...Object.keys(BASE),
  'new.txt',
  'dir',
  'a.txt/inside',
  'dir/deep/er.txt',
  'ü/ñ.md',
  'b.txt',
  '-dash',
  'line\nbreak',
];

const content: fc.Arbitrary<Content | null> = fc.oneof(
  fc.constant(null),
  fc.constantFrom<Content>(
    '',
    'text\n',
    `${LONG}\nmore\n`,
    'one\r\ntwo\r\nthree',
    Buffer.from([0, 255, 10, 13]),
    { link: 'a.txt' },
    { link: '/etc/passwd' },
    { script: '#!/bin/sh\nexit 0\n' },
  ),
);

function put(root: string, path: string, what: Content | null): void {
  const target = join(root, path);
  // A file may stand where a folder is wanted.
  path
    .split('/')
    .slice(0, -1)
    .reduce((parent, name) => {
      const folder = join(parent, name);
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder);
      return folder;
    }, root);
  rmSync(target, { recursive: true, force: true });
  if (what === null) return;
  mkdirSync(dirname(target), { recursive: true });
  if (typeof what === 'object' && 'link' in what) symlinkSync(what.link, target);
  else if (typeof what === 'object' && 'script' in what) {
    writeFileSync(target, what.script);
    chmodSync(target, 0o755);
  } else writeFileSync(target, what);
}

/** Whether a path goes through something that is not a folder: such an edit would leave the checkout. */
const isPlain = (edits: readonly (readonly [string, Content | null])[]): boolean => {
  const links = edits.flatMap(([path, what]) =>
    what !== null && typeof what === 'object' && 'link' in what ? [path] : [],
  );
  return edits.every(([path]) => !links.some((link) => path.startsWith(`${link}/`)));
};

test('whatever an agent does to its files, base and patch make the same tree elsewhere', async () => {
  const repository = createTestRepository(BASE);
  const agent = await fetchBaseCommit(join(createTemporaryFolder(), 'store'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const gates = await fetchBaseCommit(join(createTemporaryFolder(), 'store'), {
    url: repository.url,
    ref: agent.commit,
    allowFile: true,
  });
  const work = createTemporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...PATHS), content), { maxLength: 6 }),
      async (edits) => {
        fc.pre(isPlain(edits));
        const at = join(work, String(++run));
        const checkout = join(at, 'tree');
        mkdirSync(at);
        await checkOutTree(agent.store, agent.commit, checkout, join(at, 'index'));
        for (const [path, what] of edits) put(checkout, path, what);
        const { tree, patch } = await takeWorkTreeSnapshot(agent.store, {
          base: agent.commit,
          workTree: checkout,
          index: join(at, 'index'),
          scratchFolder: join(at, 'snapshot'),
          runAs: null,
        });
        expect(await applyPatch(gates.store, gates.commit, patch, join(at, 'other'))).toBe(tree);
        const changes = await listFileChanges(gates.store, gates.commit, tree);
        expect(changes.length === 0).toBe(patch.length === 0);
        if (patch.length === 0) expect(tree).toBe(await resolveTree(gates.store, gates.commit));
        for (const path of listTouchedPaths(changes))
          expect(PATHS.some((known) => known.startsWith(path))).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test('nothing is changed by an agent that changes nothing, and ignored files stay out', async () => {
  const repository = createTestRepository(BASE);
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const at = createTemporaryFolder();
  await checkOutTree(store, commit, join(at, 'tree'), join(at, 'index'));
  put(join(at, 'tree'), 'ignored/log', 'noise');
  const { tree, patch } = await takeWorkTreeSnapshot(store, {
    base: commit,
    workTree: join(at, 'tree'),
    index: join(at, 'index'),
    scratchFolder: join(at, 'snapshot'),
    runAs: null,
  });
  expect(patch.length).toBe(0);
  expect(tree).toBe(repository.git('rev-parse', 'HEAD^{tree}'));
});

test.each([
  ['an edited file', 'lib.py', 'Y = 2\n'],
  ['a new file', 'new.py', 'Z = 3\n'],
])('%s in a submodule is refused, because no patch can hold it', async (_, path, text) => {
  const inner = createTestRepository({ 'lib.py': 'X = 1\n' });
  const repository = createTestRepository({
    'a.txt': 'a\n',
    '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${inner.url}\n\tignore = all\n`,
  });
  repository.git('update-index', '--add', '--cacheinfo', `160000,${inner.git('rev-parse', 'HEAD')},sub`);
  repository.git('commit', '--quiet', '-m', 'with a submodule');
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const at = createTemporaryFolder();
  await checkOutTree(store, commit, join(at, 'tree'), join(at, 'index'));
  const snapshot = (name: string) =>
    takeWorkTreeSnapshot(store, {
      base: commit,
      workTree: join(at, 'tree'),
      index: join(at, 'index'),
      scratchFolder: join(at, name),
      runAs: null,
    });
  put(join(at, 'tree'), 'a.txt', 'b\n');
  inner.git('clone', '--quiet', inner.dir, join(at, 'tree/sub'));
  expect(String((await snapshot('clean')).patch)).toContain('+b');
  put(join(at, 'tree/sub'), path, text);
  await expect(snapshot('edited')).rejects.toMatchObject({
    failureClass: 'work_not_deliverable',
    message: 'sub is a submodule; edits in it cannot be handed in: undo them',
  });
});

test('what is changed within the second of the checkout is taken, also when it is as long as before', async () => {
  const repository = createTestRepository(BASE);
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const at = createTemporaryFolder();
  await checkOutTree(store, commit, join(at, 'tree'), join(at, 'index'));
  writeFileSync(join(at, 'tree/no-newline'), 'y');
  const changed = Math.floor(lstatSync(join(at, 'tree/no-newline')).mtimeMs / 1000);
  // An index that is copied in a later second must not make git believe that the file is known.
  await vi.waitUntil(() => Date.now() / 1000 > changed + 1, { timeout: 5_000 });
  const { patch } = await takeWorkTreeSnapshot(store, {
    base: commit,
    workTree: join(at, 'tree'),
    index: join(at, 'index'),
    scratchFolder: join(at, 'snapshot'),
    runAs: null,
  });
  expect(String(patch)).toContain('+y');
});

test.each([
  [
    'climbs out of the checkout',
    'diff --git a/../out b/../out\nnew file mode 100644\n--- /dev/null\n+++ b/../out\n@@ -0,0 +1 @@\n+x\n',
  ],
  [
    'writes into .git',
    'diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n',
  ],
  [
    'writes into .GIT',
    'diff --git a/.GIT/config b/.GIT/config\nnew file mode 100644\n--- /dev/null\n+++ b/.GIT/config\n@@ -0,0 +1 @@\n+x\n',
  ],
  [
    'has an absolute path',
    'diff --git a//etc/x b//etc/x\nnew file mode 100644\n--- /dev/null\n+++ b//etc/x\n@@ -0,0 +1 @@\n+x\n',
  ],
  [
    'writes behind a symbolic link of its own',
    'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\ndiff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x\n',
  ],
  ['does not fit', 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nope\n+x\n'],
  ['is no patch', 'hello\n'],
])('a patch that %s is refused', async (_, patch) => {
  const repository = createTestRepository({ 'a.txt': 'a\n' });
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  await expect(
    applyPatch(store, commit, Buffer.from(patch), join(createTemporaryFolder(), 'i')),
  ).rejects.toMatchObject({
    failureClass: 'patch_does_not_apply',
  });
});

test('a small patch of very large files is refused before it fills the memory', async () => {
  const repository = createTestRepository({ 'a.txt': 'a\n' });
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const large = join(createTemporaryFolder(), 'large');
  writeFileSync(large, Buffer.alloc(64 * 1_048_576));
  const { stdout: one } = spawnSync(
    'git',
    ['diff', '--no-index', '--binary', '--full-index', '/dev/null', large],
    {
      encoding: 'utf8',
    },
  );
  const patch = Array.from({ length: 20 }, (_, n) => one.replaceAll(large.slice(1), `f${n}`)).join('');
  expect(patch.length).toBeLessThan(MAX_PATCH_BYTES);
  const applied = applyPatch(store, commit, Buffer.from(patch), join(createTemporaryFolder(), 'i'));
  await expect(applied).rejects.toMatchObject({ failureClass: 'patch_does_not_apply' });
  await expect(applied).rejects.toThrow(/memory/i);
});

test('a store is usable for SHA-256 repositories as well', async () => {
  const dir = createTemporaryFolder();
  const repository = createTestRepository({ 'a.txt': 'a\n' });
  repository.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main', join(dir, 'new'));
  repository.git('-C', join(dir, 'new'), 'commit', '--quiet', '--allow-empty', '-m', 'x');
  const { store, commit } = await fetchBaseCommit(join(dir, 's'), {
    url: `file://${join(dir, 'new')}`,
    ref: 'main',
    allowFile: true,
  });
  expect(commit).toMatch(/^[0-9a-f]{64}$/);
  expect(store.format).toBe('sha256');
  expect((await createGitStore(join(dir, 't'), 'sha256')).format).toBe('sha256');
});
