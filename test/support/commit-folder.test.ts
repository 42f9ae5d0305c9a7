import { chmodSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestRepository, type TestRepository } from './git-repository.ts';

/** Asks git whether it would have made of the folder what stands in its last commit. */
function expectAsGit({ git }: TestRepository): void {
  expect(git('status', '--porcelain', '--ignored')).toBe('');
  expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  const made = git('rev-parse', 'HEAD^{tree}');
  git('rm', '--quiet', '-r', '--cached', '.');
  git('add', '--all', '--force');
  expect(git('write-tree')).toBe(made);
}

/** Names whose order is another one with than without a slash behind, deep ones, and such as need care elsewhere. */
const ODD = [
  'a',
  'a.b',
  'a0',
  'a-b/c',
  'lib/x',
  'lib.js',
  'lib0',
  'ä/ß.txt',
  'with space',
  '-v',
  'node_modules/m/index.js',
];

describe('a commit of a folder is the one that git would make', () => {
  test('whatever is in it', () => {
    const repository = createTestRepository({
      ...Object.fromEntries(ODD.map((path) => [path, `${path}\n`])),
      '.gitignore': 'node_modules/\n',
      empty: '',
      binary: Buffer.from([0, 255, 10, 13]),
      [`deep/${'very/'.repeat(30)}${'long'.repeat(50)}`]: 'x',
    });
    writeFileSync(Buffer.concat([Buffer.from(`${repository.dir}/`), Buffer.from([0x66, 0xff])]), 'not UTF-8');
    symlinkSync('nowhere', join(repository.dir, 'link'));
    writeFileSync(join(repository.dir, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(repository.dir, 'run.sh'), 0o755);
    repository.commit({}, ' a second one \n\n');
    expect(repository.git('log', '--format=%an %ae %s', '--reverse')).toBe(
      'Ada ada@example.org base\nAda ada@example.org a second one',
    );
    expectAsGit(repository);
  });

  test('whatever has changed since the last one', () => {
    const repository = createTestRepository({ 'a/b': '1\n', c: '2\n', d: '3\n' });
    renameSync(join(repository.dir, 'd'), join(repository.dir, 'e'));
    const second = repository.commit({ a: null, 'c ': '4\n' }, 'moved');
    repository.write({ a: 'now a file\n' });
    const third = repository.commit({ e: null });
    expect(repository.git('rev-list', 'HEAD').split('\n').slice(0, 2)).toEqual([third, second]);
    expectAsGit(repository);
  });

  test('on another branch, and when nothing has changed', () => {
    const repository = createTestRepository({ a: '1\n' });
    repository.git('checkout', '--quiet', '-b', 'topic');
    repository.commit({});
    repository.commit({ b: '2\n' });
    expect(repository.git('rev-list', '--count', 'main..topic')).toBe('2');
    expectAsGit(repository);
  });
});

describe('git itself commits', () => {
  test('where attributes change what is stored', () => {
    const repository = createTestRepository({ '.gitattributes': '*.txt text eol=lf\n', 'a.txt': 'a\r\n' });
    expect(repository.git('cat-file', '-p', 'HEAD:a.txt')).toBe('a');
    expect(repository.git('cat-file', '-s', 'HEAD:a.txt')).toBe('2');
  });

  test('where there are hooks, and where the repository is set up otherwise', () => {
    const repository = createTestRepository({ a: '1\n' });
    writeFileSync(join(repository.dir, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(() => repository.commit({ b: '1\n' })).toThrow('Command failed: git commit');
    const other = createTestRepository({ a: '1\n' });
    other.git('config', 'core.autocrlf', 'input');
    other.commit({ b: '1\r\n' });
    expect(other.git('cat-file', '-s', 'HEAD:b')).toBe('2');
  });

  test('where a repository lies in it', () => {
    const inner = createTestRepository({ a: '1\n' });
    const outer = createTestRepository({});
    renameSync(inner.dir, join(outer.dir, 'inner'));
    outer.commit({});
    expect(outer.git('ls-tree', 'HEAD')).toMatch(/^160000 commit [0-9a-f]{40}\tinner$/);
  });
});
