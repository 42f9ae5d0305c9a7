import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import { checkOutTree } from '../../../workspace/git/checkout-tree.ts';
import { editTree, type GitTreeEdit, writeBlob } from '../../../workspace/git/edit-tree.ts';
import {
  createGitStore,
  emptyTreeId,
  type GitStore,
  readSingleLine,
  runGitInStoreOrThrow,
} from '../../../workspace/git/git-store.ts';
import { encodePath } from '../../../workspace/git/path-encoding.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

/** What git makes of the same edits, in an index. */
async function asGitDoes(store: GitStore, tree: string, edits: readonly GitTreeEdit[]): Promise<string> {
  const index = join(createTemporaryFolder(), 'index');
  const none = '0'.repeat(tree.length);
  const input = Buffer.concat(
    edits.flatMap(({ path, entry }) => [
      Buffer.from(`${entry?.mode ?? '0'} ${entry?.id ?? none}\t`),
      encodePath(path),
      Buffer.from([0]),
    ]),
  );
  await runGitInStoreOrThrow(store, ['read-tree', tree], { indexFile: index });
  await runGitInStoreOrThrow(store, ['update-index', '--add', '--replace', '-z', '--index-info'], {
    indexFile: index,
    input,
  });
  return readSingleLine(await runGitInStoreOrThrow(store, ['write-tree'], { indexFile: index }));
}

// Few names, so that files meet folders of the same one, and some that are sorted differently once they are folders.
const NAMES = ['a', 'a.b', 'a0', 'A', 'é', '\udcff', ' ', '-'];

test.each(['sha1', 'sha256'] as const)(
  'makes of edits the tree that git makes of them (%s)',
  async (format) => {
    const store = await createGitStore(join(createTemporaryFolder(), 'store.git'), format);
    const ids = ['', 'one\n', 'two\n'].map((text) => writeBlob(store, text));
    const path = fc
      .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'));
    const entry = fc.record({
      mode: fc.constantFrom('100644', '100755', '120000'),
      id: fc.constantFrom(...ids),
    });
    const edits = fc.array(fc.record({ path, entry: fc.option(entry, { freq: 3 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        const base = await editTree(store, emptyTreeId(store), first);
        expect(base).toBe(await asGitDoes(store, emptyTreeId(store), first));
        expect(await editTree(store, base, second)).toBe(await asGitDoes(store, base, second));
      }),
      { numRuns: 10 },
    );
  },
);

test('leaves a folder of which nothing is left out, and refuses a path that is none', async () => {
  const store = await createGitStore(join(createTemporaryFolder(), 'store.git'));
  const entry = { mode: '100644', id: writeBlob(store, 'x') };
  const tree = await editTree(store, emptyTreeId(store), [{ path: 'a/b/c', entry }]);
  expect(await editTree(store, tree, [{ path: 'a/b/c', entry: null }])).toBe(emptyTreeId(store));
  for (const path of ['', '/a', 'a//b', 'a/'])
    await expect(editTree(store, tree, [{ path, entry }])).rejects.toThrow('a name without letters');
});

test.each(['.git/config', '.GIT/config', '../x', 'a/../../x', './x'])(
  '%s never becomes a file',
  async (path) => {
    const place = createTemporaryFolder();
    const store = await createGitStore(join(place, 'store.git'));
    const tree = await editTree(store, emptyTreeId(store), [
      { path, entry: { mode: '100644', id: writeBlob(store, 'x') } },
    ]);
    const written = checkOutTree(store, tree, join(place, 'checkout'), join(place, 'index'));
    await expect(written).rejects.toThrow(CheckoutError);
    expect(readdirSync(join(place, 'checkout'))).toEqual([]);
  },
);
