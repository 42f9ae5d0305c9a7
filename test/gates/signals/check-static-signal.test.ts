import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  checkFileBasedSignal,
  type FileBasedSignal,
  FolderListingCache,
  findFirstGlobMatch,
} from '../../../gates/signals/check-static-signal.ts';
import { searchLiteral, searchRegex } from '../../../gates/signals/search-file.ts';
import { searchRegexInWorker } from '../../../gates/signals/search-regex-in-worker.ts';
import { CompletionSignal } from '../../../shared/contract/submission/signals.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

const outside = createTemporaryFolder();
const root = realpathSync(createTemporaryFolder());
beforeAll(() => {
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  for (const folder of ['src/deep', '.hidden', '.git', 'empty'])
    mkdirSync(join(root, folder), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'src/a.ts': 'export const answer = 42;\n',
    'src/deep/b.test.ts': '',
    'src/.dot.ts': '',
    '.hidden/c.ts': '',
    '.git/config': '[core]',
    'latin1.txt': Buffer.from('caf\xe9 = ok\n', 'latin1'),
    'utf16.txt': Buffer.from('\ufeffgrüezi\n', 'utf16le'),
    'binary.bin': Buffer.from([0, 255, 0x6e, 0x65, 0x65, 0x64, 0]),
    'we [ird] {name}.txt': 'x',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const links: Record<string, string> = {
    out: outside,
    'out.txt': join(outside, 'secret.txt'),
    'inside.ts': 'src/a.ts',
    broken: 'nowhere',
    loop: 'loop',
    'to-git': '.git/config',
    up: '../..',
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
});

const check = (signal: unknown) =>
  checkFileBasedSignal(root, CompletionSignal.parse(signal) as FileBasedSignal);
const LEAVES = 'leaves the checkout through a symbolic link, which is not followed';

describe('path_exists', () => {
  test.each([
    ['src/a.ts', 'passed', 'exists'],
    ['src', 'passed', 'exists'],
    ['empty/', 'passed', 'exists'],
    ['inside.ts', 'passed', 'exists'],
    ['we [ird] {name}.txt', 'passed', 'exists'],
    ['src/nope.ts', 'failed', 'not found'],
    ['src/a.ts/under', 'failed', 'not found'],
    ['broken', 'failed', 'not found'],
    ['loop', 'failed', 'not found'],
    ['x'.repeat(4_000), 'failed', 'not found'],
    ['out', 'failed', `out ${LEAVES}`],
    ['out/secret.txt', 'failed', `out/secret.txt ${LEAVES}`],
    ['up', 'failed', `up ${LEAVES}`],
    ['to-git', 'failed', `to-git ${LEAVES}`],
  ])('%s', async (path, outcome, detail) => {
    expect(await check({ type: 'path_exists', path })).toEqual({ outcome, detail });
  });
});

describe('glob_exists', () => {
  test.each([
    ['src/*.ts', 'passed', 'matched src/a.ts'],
    ['**/*.test.ts', 'passed', 'matched src/deep/b.test.ts'],
    ['src/{a,z}.ts', 'passed', 'matched src/a.ts'],
    ['src/a.ts', 'passed', 'matched src/a.ts'],
    ['.hidden/*.ts', 'passed', 'matched .hidden/c.ts'],
    ['src/.*.ts', 'passed', 'matched src/.dot.ts'],
    ['*.ts', 'passed', 'matched inside.ts'],
    ['**/c.ts', 'failed', 'no matches'],
    ['**/config', 'failed', 'no matches'],
    ['nope/**', 'failed', 'no matches'],
    ['!src/**', 'failed', 'no matches'],
    ['out/*.txt', 'failed', `out ${LEAVES}`],
    ['*out.txt', 'failed', `out.txt ${LEAVES}`],
    ['brok*', 'failed', 'no matches'],
  ])('%s', async (pattern, outcome, detail) => {
    expect(await check({ type: 'glob_exists', pattern })).toEqual({ outcome, detail });
  });

  test('gives up on a checkout that is too large, and does not call that a failure of the work', async () => {
    expect(await findFirstGlobMatch(root, '**/*.nope', { maxEntries: 3 })).toEqual({ kind: 'too_many' });
  });

  test('reads each folder once, however many patterns are looked for', async () => {
    const folder = realpathSync(createTemporaryFolder());
    writeFileSync(join(folder, 'first.ts'), '');
    const listing = new FolderListingCache(folder);
    expect(await findFirstGlobMatch(folder, '*.js', { listing })).toEqual({ kind: 'none' });
    rmSync(join(folder, 'first.ts'));
    expect(await findFirstGlobMatch(folder, '**/*.ts', { listing })).toEqual({
      kind: 'matched',
      path: 'first.ts',
    });
    expect(await findFirstGlobMatch(folder, '**/*.ts')).toEqual({ kind: 'none' });
  });
});

describe('file_contains', () => {
  test.each([
    [{ path: 'src/a.ts', contains: 'answer = 42' }, 'passed', 'found'],
    [{ path: 'src/a.ts', contains: 'Answer' }, 'failed', 'not found'],
    [{ path: 'src/a.ts', contains: 'a.swer' }, 'failed', 'not found'],
    [{ path: 'src/a.ts', regex: 'answer\\s*=\\s*\\d+' }, 'passed', 'found'],
    [{ path: 'src/a.ts', regex: '^42' }, 'failed', 'not found'],
    [{ path: 'inside.ts', contains: 'answer' }, 'passed', 'found'],
    [{ path: 'latin1.txt', contains: '= ok' }, 'passed', 'found'],
    [{ path: 'latin1.txt', regex: 'caf. = ok' }, 'passed', 'found'],
    [{ path: 'utf16.txt', contains: 'grüezi' }, 'passed', 'found'],
    [{ path: 'utf16.txt', regex: 'gr.ezi' }, 'passed', 'found'],
    [{ path: 'binary.bin', contains: 'need' }, 'passed', 'found'],
    [{ path: 'nope.txt', contains: 'x' }, 'failed', 'file not found'],
    [{ path: 'src', contains: 'x' }, 'failed', 'not a regular file'],
    [{ path: 'out.txt', contains: 'secret' }, 'failed', `out.txt ${LEAVES}`],
  ])('%o', async (signal, outcome, detail) => {
    expect(await check({ type: 'file_contains', ...signal })).toEqual({ outcome, detail });
  });

  test('finds what lies across the parts in which a large file is read', async () => {
    const path = join(outside, 'large.txt');
    writeFileSync(path, `${'x'.repeat(1_048_576 - 3)}needle${'y'.repeat(1_000_000)}`);
    expect(await searchLiteral(path, 'needle')).toBe('found');
    expect(await searchLiteral(path, 'needlf')).toBe('not_found');
    expect(await searchLiteral(path, 'needle', 1_000)).toBe('partly');
    expect(await searchRegex(path, 'nope', 1_000)).toBe('partly');
  });

  test('a regular expression that makes others explode takes linear time', async () => {
    const path = join(outside, 'hostile.txt');
    writeFileSync(path, `${'a'.repeat(50_000)}!`);
    expect(await searchRegex(path, '^(a+)+$')).toBe('not_found');
  });

  test('a regular expression that takes long is ended, has not passed, and stops nothing else', async () => {
    // 100,000 such characters take seconds, and this is four times as much: each `a` begins hundreds of steps.
    const line = `${'ab'.repeat(150)}c`;
    writeFileSync(join(root, 'slow.txt'), 'aab'.repeat(100).concat(line).repeat(600));
    const signal = { type: 'file_contains', path: 'slow.txt', regex: 'a[ab]{700}c' } as const;
    let turns = 0;
    const alive = setInterval(() => turns++, 10);
    try {
      expect(await checkFileBasedSignal(root, signal, { timeoutMs: 500 })).toEqual({
        outcome: 'timed_out',
        detail: 'matching took longer than 500 ms',
      });
    } finally {
      clearInterval(alive);
    }
    expect(turns).toBeGreaterThan(1);
  });

  test('a regular expression that cannot be read is told, and the next is matched', async () => {
    await expect(searchRegexInWorker(join(root, 'src/a.ts'), '(')).rejects.toThrow(/missing closing/);
    await expect(searchRegexInWorker(join(root, 'nope'), 'a')).rejects.toThrow(/ENOENT/);
    expect(await searchRegexInWorker(join(root, 'src/a.ts'), 'answer')).toBe('found');
  });
});
