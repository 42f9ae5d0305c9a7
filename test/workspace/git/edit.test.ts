import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Edit, editTree, writeBlob } from '../../../workspace/git/edit.ts';
import { CheckoutError } from '../../../workspace/git/error.ts';
import { encodePath } from '../../../workspace/git/path-bytes.ts';
import { createStore, emptyTree, line, mustInStore, type Store } from '../../../workspace/git/store.ts';
import { materialise } from '../../../workspace/git/tree.ts';
import { temporaryFolder } from '../../support/repository.ts';

/** What git makes of the same edits, in an index. */
async function asGitDoes(store: Store, tree: string, edits: readonly Edit[]): Promise<string> {
  const index = join(temporaryFolder(), 'index');
  const none = '0'.repeat(tree.length);
  const input = Buffer.concat(
    edits.flatMap(({ path, to }) => [
      Buffer.from(`${to?.mode ?? '0'} ${to?.id ?? none}\t`),
      encodePath(path),
      Buffer.from([0]),
    ]),
  );
  await mustInStore(store, ['read-tree', tree], { index });
  await mustInStore(store, ['update-index', '--add', '--replace', '-z', '--index-info'], { index, input });
  return line(await mustInStore(store, ['write-tree'], { index }));
}

// Few names, so that files meet folders of the same one, and some that are sorted differently once they are folders.
const NAMES = ['a', 'a.b', 'a0', 'A', 'é', '\udcff', ' ', '-'];

test.each(['sha1', 'sha256'] as const)(
  'makes of edits the tree that git makes of them (%s)',
  async (format) => {
    const store = await createStore(join(temporaryFolder(), 'store.git'), format);
    const ids = ['', 'one\n', 'two\n'].map((text) => writeBlob(store, text));
    const path = fc
      .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'));
    const to = fc.record({
      mode: fc.constantFrom('100644', '100755', '120000'),
      id: fc.constantFrom(...ids),
    });
    const edits = fc.array(fc.record({ path, to: fc.option(to, { freq: 3 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        const base = await editTree(store, emptyTree(store), first);
        expect(base).toBe(await asGitDoes(store, emptyTree(store), first));
        expect(await editTree(store, base, second)).toBe(await asGitDoes(store, base, second));
      }),
      { numRuns: 10 },
    );
  },
);

test('leaves a folder of which nothing is left out, and refuses a path that is none', async () => {
  const store = await createStore(join(temporaryFolder(), 'store.git'));
  const to = { mode: '100644', id: writeBlob(store, 'x') };
  const tree = await editTree(store, emptyTree(store), [{ path: 'a/b/c', to }]);
  expect(await editTree(store, tree, [{ path: 'a/b/c', to: null }])).toBe(emptyTree(store));
  for (const path of ['', '/a', 'a//b', 'a/'])
    await expect(editTree(store, tree, [{ path, to }])).rejects.toThrow('a name without letters');
});

test.each(['.git/config', '.GIT/config', '../x', 'a/../../x', './x'])(
  '%s never becomes a file',
  async (path) => {
    const place = temporaryFolder();
    const store = await createStore(join(place, 'store.git'));
    const tree = await editTree(store, emptyTree(store), [
      { path, to: { mode: '100644', id: writeBlob(store, 'x') } },
    ]);
    const written = materialise(store, tree, join(place, 'checkout'), join(place, 'index'));
    await expect(written).rejects.toThrow(CheckoutError);
    expect(readdirSync(join(place, 'checkout'))).toEqual([]);
  },
);
