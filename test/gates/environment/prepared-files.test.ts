import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDownloadCaches } from '../../../gates/environment/prepared-files.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

const makeFile = (...path: string[]): string => {
  const file = join(...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x');
  return file;
};

it('removes download caches of a preparation, and nothing behind a link that it left in its home folder', async () => {
  const [home, outside] = [createTemporaryFolder(), createTemporaryFolder()];
  const cached = makeFile(home, '.npm', 'a');
  const store = makeFile(home, '.local', 'share', 'pnpm', 'store', 'a');
  const kept = makeFile(home, '.local', 'bin', 'tool');
  const theirs = ['pip', 'uv', 'tmp'].map((name) => makeFile(outside, name, 'a'));
  const theirStore = makeFile(outside, 'install', 'cache', 'a');
  symlinkSync(outside, join(home, '.cache'));
  symlinkSync(outside, join(home, '.bun'));
  symlinkSync(join(outside, 'tmp'), join(home, 'tmp'));
  await removeDownloadCaches(home);
  for (const file of [cached, store]) expect(existsSync(file)).toBe(false);
  for (const file of [kept, ...theirs, theirStore]) expect(existsSync(file)).toBe(true);
});
