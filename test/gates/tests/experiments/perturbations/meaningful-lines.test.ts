import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PatchToCheck } from '../../../../../gates/core/patch-to-check.ts';
import { readLinesChangingBehaviour } from '../../../../../gates/tests/experiments/definitions/mutation-threshold.ts';
import { listFileChanges } from '../../../../../workspace/git/file-changes.ts';
import { createGitStore } from '../../../../../workspace/git/git-store.ts';
import { createTemporaryFolder, createTestRepository } from '../../../../support/git-repository.ts';

/** Lines of the new text that say something else than the base. */
async function lines(before: string, after: string): Promise<number[]> {
  const { dir, git, write } = createTestRepository({ 'a.js': before });
  const treeNow = (): string => git('rev-parse', 'HEAD^{tree}').trim();
  const base = treeNow();
  write({ 'a.js': after });
  git('add', '-A');
  git('commit', '--quiet', '--allow-empty', '-m', 'after');
  const tree = treeNow();
  const store = await createGitStore(join(createTemporaryFolder(), 'store.git'), 'sha1', [
    join(dir, '.git/objects'),
  ]);
  const changes = await listFileChanges(store, base, tree);
  const mayChange = await readLinesChangingBehaviour({
    store,
    base,
    tree,
    changes,
  } as unknown as PatchToCheck);
  return after.split('\n').flatMap((_, at) => (mayChange('a.js', at + 1) ? [at + 1] : []));
}

test.each([
  ['a word more', 'let a = b;\n', 'let a = b + c;\n', [1]],
  ['another number', 'let a = 1;\nlet b = 2;\n', 'let a = 1;\nlet b = 3;\n', [2]],
  ['a new line', 'let a = 1;\n', 'let a = 1;\nlet b = 2;\n', [2]],
  ['a condition less', 'if (a && b) c();\n', 'if (a) c();\n', [1]],
  ['an operator less', 'let a = b - 1;\n', 'let a = b;\n', [1]],
])('%s is the patch', async (_, before, after, expected) => {
  expect(await lines(before, after)).toEqual(expected);
});

test.each([
  ['quoted', 'let a = { b: 1, c: 2 };\n', "let a = { 'b': 1, 'c': 2 };\n"],
  ['wrapped', 'f(a, b, 12);\n', 'f(\n  a,\n  b,\n  12,\n);\n'],
])('what is %s is as it was', async (_, before, after) => {
  expect(await lines(before, after)).toEqual([]);
});
