import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { listFiles } from '../../../workspace/git/list-files.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';

const NAMES = [
  'a',
  'a.b',
  'a/b',
  'a/b.c',
  'a-b',
  'b/c/d',
  'b/c-d',
  'é',
  '\u{1f600}',
  '\ufffd',
  '\uf8ff/x',
  'z',
];

/** Paths, none of which is a folder of another one. */
const files = fc
  .dictionary(fc.constantFrom(...NAMES), fc.constantFrom('1\n', '2\n', 'three\n'))
  .map((all) =>
    Object.fromEntries(
      Object.entries(all).filter(([path]) => !Object.keys(all).some((other) => path.startsWith(`${other}/`))),
    ),
  );

test('what is listed by what differs from another tree is what git lists', async () => {
  await fc.assert(
    fc.asyncProperty(files, files, async (before, after) => {
      const gone = Object.fromEntries(Object.keys(before).map((path) => [path, null]));
      const { store, base, tree } = await createPatchFixture(
        { ...before, 'kept.txt': 'x' },
        { ...gone, ...after },
      );
      await listFiles(store, base);
      // The lists of another store are not known.
      expect(await listFiles(store, tree)).toEqual(await listFiles({ ...store }, tree));
    }),
    {
      numRuns: 15,
      examples: [
        [{ 'a/b': '1\n' }, { a: '1\n' }],
        [{ a: '1\n' }, { 'a/b': '1\n', 'a-b': '2\n' }],
        [{}, { '\u{1f600}': '1\n', '\ufffd': '2\n', '\uf8ff/x': '1\n' }],
      ],
    },
  );
});

test('links and submodules are listed as git lists them, and what stayed is not made again', async () => {
  const { store, base } = await createPatchFixture({ 'a.txt': 'x', 'b.txt': 'y' }, {});
  const before = await listFiles(store, base);
  const tree = await editTree(store, base, [
    { path: 'b.txt', entry: { id: base, mode: '160000' } },
    { path: 'link', entry: { id: await writeBlob(store, 'a.txt'), mode: '120000' } },
  ]);
  const after = await listFiles(store, tree);
  expect(after).toEqual(await listFiles({ ...store }, tree));
  expect(after.map(({ size }) => size)).toEqual([1, null, 5]);
  expect(after[0]).toBe(before[0]);
});
