import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseOrRefuse } from '../../../../shared/api/problem.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import {
  HiddenTests,
  hiddenTestsLocation,
  invalidHiddenTestPathReason,
  MAX_HIDDEN_TEST_BYTES,
  MAX_HIDDEN_TEST_FILES,
  serializeHiddenTests,
} from '../../../../shared/contract/submission/hidden-tests.ts';
import { TaskSubmission } from '../../../../shared/contract/submission/schema.ts';

const submit = (hidden_tests: unknown): unknown => ({
  title: 'Fix',
  repository: 'https://example.test/r.git',
  hidden_tests,
});
/** The places that are refused, as a problem document names them. */
function refused(hidden_tests: unknown): string[] {
  try {
    parseOrRefuse(TaskSubmission, submit(hidden_tests));
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.errors.map(({ pointer, message }) => `${pointer} ${message}`);
  }
}
const folder = (...files: object[]) => ({ kind: 'files', files });
const file = (path: string, more: object = {}) => ({ path, content: 'x', ...more });

describe('hidden tests that are handed in', () => {
  test.each<[string, unknown, string]>([
    ['an archive', 'H4sIAAAAAAAA', '/hidden_tests '],
    [
      'a kind that there is not',
      { kind: 'zip', files: [] },
      '/hidden_tests/kind must have a kind: files or git',
    ],
    ['nothing', folder(), '/hidden_tests/files '],
    [
      'too many files',
      folder(...Array.from({ length: MAX_HIDDEN_TEST_FILES + 1 }, (_, at) => file(`${at}`))),
      '/hidden_tests/files ',
    ],
    [
      'too much',
      folder(file('a', { content: 'x'.repeat(MAX_HIDDEN_TEST_BYTES) }), file('b')),
      `/hidden_tests/files have ${MAX_HIDDEN_TEST_BYTES + 1} bytes together`,
    ],
    [
      'a path that climbs',
      folder(file('a'), file('test/../../b')),
      '/hidden_tests/files/1/path must not leave the checkout',
    ],
    ['an absolute path', folder(file('/etc/passwd')), '/hidden_tests/files/0/path must be relative'],
    ['a path with NUL', folder(file('a\0b')), '/hidden_tests/files/0/path must not contain a NUL'],
    ['a path with a line break', folder(file('a\nb')), '/hidden_tests/files/0/path must not contain control'],
    [
      'a path into .git',
      folder(file('.git/hooks/pre-push')),
      '/hidden_tests/files/0/path must not point into .git',
    ],
    [
      'a path into another .git',
      folder(file('a/.GIT/config')),
      '/hidden_tests/files/0/path must not point into .git',
    ],
    ['a path that is not plain', folder(file('a/./b')), '/hidden_tests/files/0/path must have no empty part'],
    ['a path of a folder', folder(file('a/')), '/hidden_tests/files/0/path must have no empty part'],
    ['a path twice', folder(file('a'), file('a')), '/hidden_tests/files/1/path is listed twice'],
    [
      'a file in a file',
      folder(file('a/b'), file('a')),
      '/hidden_tests/files/0/path lies in a, which is a file here',
    ],
    [
      'a symbolic link',
      folder(file('a', { mode: '120000' })),
      '/hidden_tests/files/0/mode is not a known field',
    ],
    [
      'a target of a link',
      folder(file('a', { link: '/etc/passwd' })),
      '/hidden_tests/files/0/link is not a known field',
    ],
    [
      'what is not base64',
      folder(file('a', { encoding: 'base64', content: 'a b' })),
      '/hidden_tests/files/0/content must be base64',
    ],
    [
      'a ref that is an option',
      { kind: 'git', repository: 'https://e.test/h.git', ref: '--upload-pack=x' },
      '/hidden_tests/ref must be',
    ],
    ['a repository that is none', { kind: 'git', repository: 'ftp://e.test/h' }, '/hidden_tests/repository '],
    [
      'a folder that climbs',
      { kind: 'git', repository: 'https://e.test/h.git', folder: '../x' },
      '/hidden_tests/folder must not leave',
    ],
  ])('are refused where they are %s, and the field is named', (_what, hidden, expected) => {
    const [first = ''] = refused(hidden);
    expect(first).toContain(expected);
  });

  test('are taken as text, as bytes, and as a ref', () => {
    expect(
      refused(folder(file('test/a.test.js'), file('b.bin', { encoding: 'base64', content: 'AP8=' }))),
    ).toEqual([]);
    expect(refused({ kind: 'git', repository: 'https://e.test/h.git', ref: 'v1', folder: 'shop' })).toEqual(
      [],
    );
  });

  test('lie in one place, whatever the order of their fields, and elsewhere for another task', () => {
    const one = HiddenTests.parse(folder({ path: 'a', content: 'x' }));
    const same = HiddenTests.parse({ files: [{ content: 'x', encoding: 'utf8', path: 'a' }], kind: 'files' });
    expect(hiddenTestsLocation('T1', same)).toEqual(hiddenTestsLocation('T1', one));
    expect(hiddenTestsLocation('T2', one).key).not.toBe(hiddenTestsLocation('T1', one).key);
    expect(HiddenTests.parse(JSON.parse(serializeHiddenTests(one)))).toEqual(one);
  });
});

describe('a path that is taken', () => {
  let store: string;
  beforeAll(() => {
    store = mkdtempSync(join(tmpdir(), 'assay-paths-'));
    execFileSync('git', ['init', '-q', '--bare', store]);
  });
  afterAll(() => rmSync(store, { recursive: true, force: true }));

  test('is one that git takes too, as strictly as it can be asked', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
      fc.constantFrom(
        '.git',
        '.Git',
        'git~1',
        '.git.',
        '.git ',
        '.git::$INDEX',
        '.gi\u200ct',
        '.gitmodules',
        '..',
        '.',
        'con',
        'a:b',
      ),
    );
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const taken = fc
      .sample(path, { numRuns: 1_000, seed: 1 })
      .filter((each) => each.isWellFormed() && invalidHiddenTestPathReason(each) === null);
    expect(taken.length).toBeGreaterThan(200);
    expect(refusedByGit(store, ['a', '.git/x', 'b/GIT~1/c'])).toEqual(['.git/x', 'b/GIT~1/c']);
    expect(refusedByGit(store, taken)).toEqual([]);
  });
});

/** The paths that git leaves out of an index. */
function refusedByGit(store: string, paths: readonly string[]): readonly string[] {
  const run = (args: readonly string[], input = ''): string =>
    execFileSync('git', ['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true', '-C', store, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_INDEX_FILE: join(store, 'paths.index') },
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  // Each in a folder of its own, so that none of them is a folder of another.
  const names = paths.map((path, at) => `${at}/${path}`);
  run(
    ['update-index', '-z', '--index-info'],
    names.map((name) => `100644 ${'1'.repeat(40)}\t${name}\0`).join(''),
  );
  const kept = new Set(run(['ls-files', '-z', '--cached']).split('\0'));
  return paths.filter((_, at) => !kept.has(names[at] ?? ''));
}
