import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeNewFile } from '../../../workspace/process/write-new-file.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

test('a file is left to be read', async () => {
  const dir = join(createTemporaryFolder(), 'given');
  expect(readFileSync(await writeNewFile(dir, 'files', 'a\0'), 'utf8')).toBe('a\0');
});

test.each([
  ['a link', (at: string, target: string) => symlinkSync(target, at)],
  ['a link to nothing', (at: string, target: string) => symlinkSync(`${target}-none`, at)],
  ['a pipe', (at: string) => execFileSync('mkfifo', [at])],
  ['a file', (at: string) => writeFileSync(at, 'mine')],
])('%s in its place is refused, and nothing is written through it', async (_, plant) => {
  const at = createTemporaryFolder();
  const target = join(at, 'target');
  writeFileSync(target, 'before');
  const dir = join(at, 'given');
  mkdirSync(dir);
  plant(join(dir, 'files'), target);
  await expect(writeNewFile(dir, 'files', 'content')).rejects.toThrow('EEXIST');
  expect(readFileSync(target, 'utf8')).toBe('before');
  expect(existsSync(`${target}-none`)).toBe(false);
});
