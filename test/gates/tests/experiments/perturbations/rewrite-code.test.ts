import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTreeWithRewrittenCode } from '../../../../../gates/tests/experiments/perturbations/rewrite-functions.ts';
import { createGitStore } from '../../../../../workspace/git/git-store.ts';
import { createTemporaryFolder, createTestRepository } from '../../../../support/git-repository.ts';

test('files of code are written in another way, and no submodule or link that is named as one', async () => {
  const { dir, git } = createTestRepository({ 'src/a.js': 'one', 'test/a.test.js': 'test' });
  symlinkSync('src/a.js', join(dir, 'link.js'));
  git('add', 'link.js');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib.js`);
  git('commit', '--quiet', '-m', 'what is no file');
  const store = await createGitStore(join(createTemporaryFolder(), 'store.git'), 'sha1', [
    join(dir, '.git/objects'),
  ]);
  const seen: string[] = [];
  const tree = await writeTreeWithRewrittenCode(
    { store },
    git('rev-parse', 'HEAD^{tree}').trim(),
    async ({ path }) => {
      seen.push(path);
      return 'other';
    },
  );
  expect(seen).toEqual(['src/a.js']);
  const listed = execFileSync('git', ['--git-dir', store.dir, 'ls-tree', '-r', String(tree)], {
    encoding: 'utf8',
  });
  expect(listed).toMatch(/160000 commit 1{40}\tlib\.js/);
});
