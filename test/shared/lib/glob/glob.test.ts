import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandBraces } from '../../../../shared/lib/glob/expand-braces.ts';
import {
  compileGlob,
  compilePathFilter,
  foldPathCase,
  invalidGlobReason,
  literalFolderPrefix,
} from '../../../../shared/lib/glob/glob.ts';

const DOT = { dot: true };

describe('a glob', () => {
  test.each<[string, string, boolean]>([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/.a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/*.ts', 'src/a\n.ts', true],
    ['src/*.ts', 'src/\n.ts', true],
    ['src/*.ts', 'src/a.ts\n', false],
    ['src/**', 'src/\r/\u2028/x', true],
    ['src/**', 'src', true],
    ['src/**', 'lib/src/a', false],
    ['src/', 'src/deep/a', true],
    ['**', 'any/\nthing', true],
    ['**/*.py', 'a.py', true],
    ['**/a/**/b', 'x/a/y/z/b', true],
    ['**/a/**/b', 'a/b', true],
    ['**/a/**/b', 'b/a', false],
    ['a**b', 'axxb', true],
    ['a**b', 'ax/xb', false],
    ['?', '\udce9', true],
    ['?', '😀', true],
    ['?', 'ab', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[!a-c]x', '\nx', true],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['[a', '[a', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a\\', 'a\\', true],
    ['{a,b/c}/d', 'b/c/d', true],
    ['{a,b{1..3}}.js', 'b2.js', true],
    ['{a,b{1..3}}.js', 'b4.js', false],
    ['{a}', '{a}', true],
    ['(group)/page.tsx', '(group)/page.tsx', true],
    ['(group)/page.tsx', 'group/page.tsx', false],
    ['@(a|b)', 'a', false],
    ['$^.+|', '$^.+|', true],
    ['a//b', 'a/b', true],
  ])('%j on %j: %s', (glob, path, matches) => {
    expect(compileGlob(glob, DOT)(path)).toBe(matches);
  });

  test.each<[string, string, boolean]>([
    ['*', '.a', false],
    ['**', 'a/.b/c', false],
    ['**/.b/*', 'a/.b/c', true],
    ['.*', '.a', true],
    ['[.]a', '.a', false],
    ['?a', '.a', false],
  ])('that must not see hidden names: %j on %j: %s', (glob, path, matches) => {
    expect(compileGlob(glob, { dot: false })(path)).toBe(matches);
  });

  /** Any name that git takes, bytes that are no text included. */
  const name = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '.',
          ' ',
          '\n',
          '\r',
          '\u2028',
          '\\',
          '[',
          ']',
          '{',
          '}',
          '*',
          '?',
          '!',
          '-',
          '\udcff',
          'a',
          'É',
        ),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => parts.join('').replaceAll('/', '_').replaceAll('\0', '_'))
    // Git has no such names.
    .filter((each) => each !== '.' && each !== '..');
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
  const literal = (text: string): string => text.replace(/[\\*?[\]{}!]/g, '\\$&');

  test('finds whatever path it was made for, however it is called', () => {
    fc.assert(
      fc.property(path, fc.nat(), fc.nat(), (whole, first, second) => {
        const names = whole.split('/');
        const folder = names.slice(0, first % names.length).join('/');
        const last = names.at(-1) ?? '';
        const characters = [...last];
        const cut = second % (characters.length + 1);
        const start = literal(characters.slice(0, cut).join(''));
        const end = literal(characters.slice(cut).join(''));
        for (const glob of [
          '**',
          `**/${literal(last)}`,
          `${folder === '' ? '' : `${literal(folder)}/`}**`,
          `**/${start}*${end}`,
          `**/*${end}`,
          literal(whole),
          names.map(() => '*').join('/'),
          `{no such,${names.map((each) => '?'.repeat([...each].length)).join('/')}}`,
        ]) {
          expect(compileGlob(glob, DOT)(whole), glob).toBe(true);
          expect(compilePathFilter([glob])(whole), glob).toBe(true);
        }
        const other = whole.normalize('NFD').toUpperCase();
        // Some letters have no way back from upper case.
        if (foldPathCase(other) === foldPathCase(whole))
          expect(compilePathFilter([literal(whole)])(other)).toBe(true);
        expect(compileGlob(`${literal(whole)}?`, DOT)(whole)).toBe(false);
        expect(compileGlob(`*/${literal(whole)}`, DOT)(whole)).toBe(false);
      }),
    );
  });

  test('agrees with a regular expression that means the same', () => {
    const glob = fc
      .array(fc.constantFrom('a', 'b', '.', '*', '?', '/', '**', '/**/', '\n'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((parts) =>
        parts
          .join('')
          .replace(/\/{2,}/g, '/')
          .replace(/\*{3,}/g, '**'),
      )
      .filter((text) => !text.startsWith('/') && !text.endsWith('/'));
    const short = fc
      .array(fc.constantFrom('a', 'b', '.', '/', '\n'), { minLength: 1, maxLength: 8 })
      .map((parts) =>
        parts
          .join('')
          .replace(/\/+/g, '/')
          .replace(/^\/|\/$/g, ''),
      )
      .filter((text) => text !== '');
    fc.assert(
      fc.property(glob, short, (pattern, text) => {
        const meant = pattern
          .split('/')
          .map((segment) =>
            segment === '**'
              ? '**'
              : segment
                  .replace(/\*+/g, '*')
                  .replace(/[.*?]/g, (sign) => (sign === '.' ? '\\.' : sign === '*' ? '[^/]*' : '[^/]')),
          );
        // Each name with its slash in front, so that `**` is any number of them.
        const source = meant.map((each) => (each === '**' ? '(?:/[^/]+)*' : `/${each}`)).join('');
        expect(compileGlob(pattern, DOT)(text)).toBe(new RegExp(`^${source}$`).test(`/${text}`));
      }),
      { numRuns: 3_000 },
    );
  });

  test('takes no more time than path times glob, where a regular expression would not end', () => {
    const long = `${'a/'.repeat(2_000)}x`;
    expect(compileGlob('**/a/**/a/**/a/**/a/**/a/**/b', DOT)(long)).toBe(false);
    expect(compileGlob(`${'*a'.repeat(30)}b`, DOT)('a'.repeat(4_096))).toBe(false);
  });

  test('that stands for too many others is refused', () => {
    expect(invalidGlobReason('{a,b}'.repeat(9))).toBeNull();
    expect(invalidGlobReason('{a,b}'.repeat(40))).toBe('stands for more than 1000 globs');
    expect(invalidGlobReason('{1..999999999}')).toBe('stands for more than 1000 globs');
    expect(invalidGlobReason('{'.repeat(10_000))).toBe('has an unbalanced "{"');
    expect(invalidGlobReason('[a')).toBe('has an unbalanced "["');
  });

  test.each<[string, string[]]>([
    ['a', ['a']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{3..1}', ['3', '2', '1']],
    ['{a..c}', ['a', 'b', 'c']],
    ['\\{a,b}', ['\\{a,b}']],
    ['[{a,b}]', ['[{a,b}]']],
    ['{,s}', ['', 's']],
    ['{a,b', ['{a,b']],
  ])('%j stands for %j', (glob, globs) => {
    expect(expandBraces(glob)).toEqual(globs);
  });

  test.each([
    ['src/a.ts', 'src'],
    ['src/*.ts', 'src'],
    ['src/{a,b}/c', 'src'],
    ['*.ts', ''],
    ['a.ts', ''],
    ['a/b/**/c', 'a/b'],
  ])('%j can match only in the folder %j', (glob, folder) => {
    expect(literalFolderPrefix(glob)).toBe(folder);
  });
});

describe('a list of globs', () => {
  test.each<[string[], string, boolean]>([
    [['src/**'], 'SRC/A.ts', true],
    [['**/package.json'], 'sub/PACKAGE.JSON', true],
    [['caf\u00e9/**'], 'cafe\u0301/a', true],
    [['README'], 'ReadMe', true],
    [['./src/**'], 'src/a', true],
    [['src/**', '!src/gen/**'], 'src/gen/a', false],
    [['src/**', '!src/gen/**'], 'src/a', true],
    [['src/**', '!src/gen/**'], 'src/GEN/a', true],
    [['src/**', '!src/gen/**'], 'lib/a', false],
    [['!docs/**'], 'src/a', true],
    [['!docs/**'], 'docs/a', false],
    [['[^A-Z]*'], 'readme', true],
    [['[A-Z]*'], 'Readme', true],
  ])('%j means %j: %s', (globs, path, means) => {
    expect(compilePathFilter(globs)(path)).toBe(means);
  });

  test('sees through case and Unicode forms', () => {
    expect(foldPathCase('Cafe\u0301/PACKAGE.json')).toBe('caf\u00e9/package.json');
  });
});
