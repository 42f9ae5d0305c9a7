import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { fetchBaseCommit, resolveTree } from '../../../workspace/git/fetch-commits.ts';
import { listFileChanges, listTouchedPaths, parseRawDiff } from '../../../workspace/git/file-changes.ts';
import { listFiles } from '../../../workspace/git/list-files.ts';
import { decodePath, encodePath } from '../../../workspace/git/path-encoding.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { readFileOfTree } from '../../../workspace/git/tree-folder.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

test('any bytes that git takes for a path come back as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ min: 1, minLength: 1, maxLength: 12 }), (bytes) => {
      expect(Buffer.compare(encodePath(decodePath(Buffer.from(bytes))), Buffer.from(bytes))).toBe(0);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodePath(Buffer.from(text))).toBe(Buffer.from(text).toString('utf8'));
    }),
  );
});

test('raw differences are read with their kinds', () => {
  const zero = '0'.repeat(40);
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
  const raw = [
    `:000000 100644 ${zero} ${a} A`,
    'new',
    `:100644 000000 ${a} ${zero} D`,
    'old',
    `:100644 100755 ${a} ${b} M`,
    'with space\n',
    `:100644 120000 ${a} ${b} T`,
    'link',
    `:100644 100644 ${a} ${b} R087`,
    'from',
    'to',
  ].join('\0');
  const changes = parseRawDiff(Buffer.from(`${raw}\0`));
  expect(changes.map(({ kind, path, previousPath }) => [kind, path, previousPath])).toEqual([
    ['added', 'new', null],
    ['deleted', 'old', null],
    ['modified', 'with space\n', null],
    ['modified', 'link', null],
    ['renamed', 'to', 'from'],
  ]);
  expect(changes[2]?.headEntry).toEqual({ id: b, mode: '100755' });
  expect(listTouchedPaths(changes)).toEqual(['new', 'old', 'with space\n', 'link', 'from', 'to']);
  expect(parseRawDiff(Buffer.alloc(0))).toEqual([]);
});

test('a tree is edited without a folder: paths are replaced, removed, and take the place of folders', async () => {
  const repository = createTestRepository({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'dir/c.txt': 'c\n' });
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const id = writeBlob(store, 'new\n');
  const tree = await editTree(store, await resolveTree(store, commit), [
    { path: 'a.txt', entry: null },
    { path: 'dir', entry: { id, mode: '100644' } },
    { path: 'x/y\n"z', entry: { id, mode: '100755' } },
  ]);
  const changes = await listFileChanges(store, commit, tree);
  expect(new Set(changes.map(({ kind, path }) => `${kind} ${path}`))).toEqual(
    new Set(['added dir', 'added x/y\n"z', 'deleted a.txt', 'deleted dir/b.txt', 'deleted dir/c.txt']),
  );
  expect((await readBlobs(store, [id, id])).get(id)?.toString()).toBe('new\n');
  expect(await readBlobs(store, [])).toEqual(new Map());
  expect((await readFileOfTree(store, commit, 'dir/b.txt', 100))?.content.toString()).toBe('b\n');
  expect(await readFileOfTree(store, commit, 'nope', 100)).toBeNull();
  expect(await readFileOfTree(store, commit, 'dir', 100)).toMatchObject({ regular: false });
  await expect(readFileOfTree(store, commit, 'dir/b.txt', 1)).rejects.toThrow('too large');
});

test('what was read once is not read again, and still counts against the limit', async () => {
  const repository = createTestRepository({ 'a.txt': 'a\n' });
  const { store, commit } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  });
  const [one, two] = await Promise.all([writeBlob(store, 'one\n'), writeBlob(store, 'two\n')]);
  expect((await readBlobs(store, [one])).get(one)?.toString()).toBe('one\n');
  expect([...(await readBlobs(store, [two, one])).keys()].sort()).toEqual([one, two].sort());
  await expect(readBlobs(store, [one, two], 7)).rejects.toThrow('too large');
  expect((await readBlobs(store, [one, two], 8)).size).toBe(2);
  expect(await listFiles(store, commit)).toBe(await listFiles(store, commit));
  await expect(listFiles(store, '0'.repeat(40))).rejects.toThrow();
});
