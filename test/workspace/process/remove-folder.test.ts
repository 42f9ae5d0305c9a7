import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeFolder } from '../../../workspace/process/remove-folder.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

test.each([
  ['nothing at all', 'rmdir "$PWD"'],
  ['a folder that nobody may enter', 'mkdir -p a/b && touch a/b/c && chmod 000 a/b a'],
  [
    'paths longer than one call takes',
    `n=${'d'.repeat(200)}; for i in $(seq 40); do mkdir $n && cd -P $n || exit 1; done`,
  ],
  ['links out of it, and a pipe', 'ln -s / root; ln -s .. up; mkfifo pipe'],
  ['a name that looks like an option', 'mkdir -- -rf && touch ./-rf/--'],
])('a folder is removed that has %s', async (_, script) => {
  const above = createTemporaryFolder();
  const dir = join(above, 'work');
  execFileSync('sh', ['-c', `mkdir work && cd work && { ${script}; }`], { cwd: above });
  await removeFolder(dir);
  expect(existsSync(dir)).toBe(false);
  expect(existsSync('/etc')).toBe(true);
});
