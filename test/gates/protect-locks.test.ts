import { describe, expect, test } from 'vitest';
import { readFileOfTree } from '../../workspace/git/tree-folder.ts';
import { createSubject, type FileEdits } from '../support/patch-fixture.ts';

const json = (value: unknown): string => JSON.stringify(value);

const releasedLock = (version: string, resolved: string): string =>
  json({ version, packages: { '': { version }, 'node_modules/a': { version: '1', resolved } } });

async function look(base: Record<string, string>, patch: FileEdits, path: string) {
  const subject = await createSubject(base, patch);
  const file = await readFileOfTree(subject.store, subject.tree, path, 1_000_000);
  return {
    used: subject.protectedFiles.find((each) => each.path === path)?.checked_version ?? null,
    text: file?.content.toString() ?? null,
  };
}

describe('a lock file that a patch changes', () => {
  test.each<[string, Record<string, string>, FileEdits, string, 'base' | 'patch', string | null]>([
    ['alone is put back', { 'yarn.lock': 'a' }, { 'yarn.lock': 'b' }, 'yarn.lock', 'base', 'a'],
    ['and that was not there is left out', { 'a.js': '' }, { 'yarn.lock': 'b' }, 'yarn.lock', 'base', null],
    ['by deleting it comes back', { 'Cargo.lock': 'a' }, { 'Cargo.lock': null }, 'Cargo.lock', 'base', 'a'],
    [
      'together with what asks for it stays, and is named',
      { 'go.mod': 'module a\n\ngo 1.21\n', 'go.sum': 'a' },
      { 'go.mod': 'module a\n\ngo 1.21\n\nrequire b v1.0.0\n', 'go.sum': 'b' },
      'go.sum',
      'patch',
      'b',
    ],
    [
      'together with package.json is put back where that asks for nothing else',
      { 'package.json': json({ dependencies: { a: '1' } }), 'package-lock.json': 'a' },
      { 'package.json': json({ dependencies: { a: '1' }, version: '2.0.0' }), 'package-lock.json': 'b' },
      'package-lock.json',
      'base',
      'a',
    ],
    [
      'after a release of the project itself stays',
      { 'package.json': '{"version":"1"}', 'package-lock.json': releasedLock('1', 'a') },
      { 'package.json': '{"version":"2"}', 'package-lock.json': releasedLock('2', 'a') },
      'package-lock.json',
      'patch',
      releasedLock('2', 'a'),
    ],
    [
      'with another package under cover of a release is put back',
      { 'package.json': '{"version":"1"}', 'package-lock.json': releasedLock('1', 'a') },
      { 'package.json': '{"version":"2"}', 'package-lock.json': releasedLock('2', 'evil') },
      'package-lock.json',
      'base',
      releasedLock('1', 'a'),
    ],
    [
      'together with a package.json that is none is put back',
      { 'package.json': '{}', 'package-lock.json': 'a' },
      { 'package.json': '{', 'package-lock.json': 'b' },
      'package-lock.json',
      'base',
      'a',
    ],
    [
      'together with a package of its workspace stays',
      { 'packages/a/package.json': '{}', 'pnpm-lock.yaml': 'a' },
      { 'packages/a/package.json': json({ dependencies: { b: '1' } }), 'pnpm-lock.yaml': 'b' },
      'pnpm-lock.yaml',
      'patch',
      'b',
    ],
    [
      'together with a package elsewhere is put back',
      { 'one/package.json': '{}', 'two/package-lock.json': 'a' },
      { 'one/package.json': json({ dependencies: { b: '1' } }), 'two/package-lock.json': 'b' },
      'two/package-lock.json',
      'base',
      'a',
    ],
    [
      'together with what another manager reads is put back',
      { 'pyproject.toml': '', 'package-lock.json': 'a' },
      { 'pyproject.toml': '[project]\nname = "x"\n', 'package-lock.json': 'b' },
      'package-lock.json',
      'base',
      'a',
    ],
    [
      'in another case is the same',
      { 'a.js': '' },
      { 'PACKAGE-LOCK.json': 'b' },
      'PACKAGE-LOCK.json',
      'base',
      null,
    ],
  ])('%s', async (_, base, patch, path, used, text) => {
    expect(await look(base, patch, path)).toEqual({ used, text });
  });
});

describe('a file that runs when the project is installed or built', () => {
  test.each([
    'setup.py',
    'crates/a/build.rs',
    'Dockerfile',
    'web.Dockerfile',
    'deploy/Dockerfile.prod',
    'docker-compose.yml',
    'compose.override.yaml',
    'binding.gyp',
  ])('is used as the patch has it, and named: %s', async (path) => {
    expect(await look({ [path]: 'a' }, { [path]: 'b' }, path)).toEqual({ used: 'patch', text: 'b' });
  });

  test.each(['src/dockerfile-parser.ts', 'src/compose.ts', 'setup.pyi'])('is not %s', async (path) => {
    expect((await look({ [path]: 'a' }, { [path]: 'b' }, path)).used).toBeNull();
  });

  test('is put back where the configuration of the checks loads it', async () => {
    const base = { 'jest.config.js': "module.exports = { globalSetup: './setup.py' };\n", 'setup.py': 'a' };
    expect(await look(base, { 'setup.py': 'b' }, 'setup.py')).toEqual({ used: 'base', text: 'a' });
  });
});
