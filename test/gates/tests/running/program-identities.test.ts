import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { listProgramIdentities } from '../../../../gates/tests/running/program-identities.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';

/** A root of pyenv: a shim that must not be started, and two versions with a program each. */
function createPyenv(): string {
  const root = createTemporaryFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  };
  write('shims/tool', '#!/bin/sh\ntouch "$0.started"\n');
  write('versions/3.1/bin/tool', 'one');
  write('versions/3.2/bin/tool', 'two, longer');
  write('version', '3.1\n');
  return root;
}

test('a program behind a shim of pyenv is told by its file, without a start', async () => {
  const root = createPyenv();
  vi.stubEnv('PATH', join(root, 'shims'));
  vi.stubEnv('PYENV_VERSION', undefined);
  const first = await listProgramIdentities('tool --all', null);
  expect(first).toEqual([expect.stringContaining('versions/3.1/bin/tool 3 ')]);
  writeFileSync(join(root, 'version'), '3.2\n');
  expect(await listProgramIdentities('tool --all', null)).not.toEqual(first);
  writeFileSync(join(root, 'version'), '3.1\n');
  vi.stubEnv('PYENV_VERSION', '3.2');
  expect(await listProgramIdentities('tool', null)).toEqual([expect.stringContaining('3.2/bin/tool')]);
  expect(existsSync(join(root, 'shims/tool.started'))).toBe(false);
});

test('another program in a folder of shims is asked for its version', async () => {
  const root = createTemporaryFolder();
  mkdirSync(join(root, 'shims'));
  writeFileSync(join(root, 'shims/tool'), '#!/bin/sh\necho 7.1\n', { mode: 0o755 });
  vi.stubEnv('PATH', join(root, 'shims'));
  expect(await listProgramIdentities('tool', null)).toEqual([expect.stringMatching(/ 7\.1$/)]);
});
