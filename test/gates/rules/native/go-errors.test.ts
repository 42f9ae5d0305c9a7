import { describe, expect, test } from 'vitest';
import type { ChangedText } from '../../../../gates/engine/changed-texts.ts';
import { goDeclared } from '../../../../gates/rules/native/go-declared.ts';
import { emptiedGo } from '../../../../gates/rules/native/go-emptied.ts';
import { swallowedInGo } from '../../../../gates/rules/native/go-swallowed.ts';

const changed = (path: string, before: string | null, after: string | null): ChangedText => ({
  path,
  from: before === null ? null : path,
  before,
  after,
});
const inFunction = (body: string, result = 'error', takes = ''): string =>
  `package a\n\nfunc f(${takes}) ${result} {\n${body}\n}\n`;
const swallowed = (after: string, before: string | null = null): string[] =>
  swallowedInGo([changed('a.go', before, after)]).map(({ line, weight }) => `${line} ${weight}`);

describe('an error of Go is thrown away', () => {
  test.each<[string, string, string[]]>([
    [
      'as if there were none',
      inFunction('\tif err := g(&x); err != nil {\n\t\treturn nil\n\t}'),
      ['4 unclear'],
    ],
    [
      'with nothing in its place',
      inFunction('\tv, err := g()\n\tif err != nil {\n\t\treturn nil, nil\n\t}', '(*T, error)'),
      ['5 unclear'],
    ],
    ['in an empty branch', inFunction('\tif err != nil {\n\t\t// never mind\n\t}'), ['4 unclear']],
    ['by a panic that nobody hears', inFunction('\tdefer func() { recover() }()'), ['4 unclear']],
    [
      'by a panic that is asked for and forgotten',
      inFunction('\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t}\n\t}()'),
      ['5 unclear'],
    ],
  ])('%s', (_, text, expected) => {
    expect(swallowed(text)).toEqual(expected);
    expect(swallowed(text, text)).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    ['handed on', inFunction('\tif err != nil {\n\t\treturn err\n\t}'), []],
    ['of one kind', inFunction('\tif errors.Is(err, io.EOF) {\n\t\treturn nil\n\t}'), []],
    ['told', inFunction('\tif err != nil {\n\t\tlog.Print(err)\n\t\treturn nil\n\t}'), []],
    ['where none can be answered', inFunction('\tif err != nil {\n\t\treturn nil\n\t}', '*T'), []],
    [
      'answered with no',
      inFunction('\tif err != nil {\n\t\treturn false, nil\n\t}', '(bool, error)'),
      ['4 reported'],
    ],
    [
      'of a file that need not be there',
      inFunction('\tif _, err := os.Stat(p); err != nil {\n\t\treturn nil\n\t}'),
      ['4 reported'],
    ],
    [
      'that a walk over files hands over',
      inFunction('\tif err != nil {\n\t\treturn nil\n\t}', 'error', 'path string, err error'),
      ['4 reported'],
    ],
    [
      'that became of a panic',
      inFunction(
        '\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\terr = fmt.Errorf("%v", r)\n\t\t}\n\t}()',
      ),
      [],
    ],
  ])('or not, when it is one %s', (_, text, expected) => {
    expect(swallowed(text)).toEqual(expected);
  });

  test.each<[string, string, string, string[]]>([
    ['a result', '\tdata, err := os.ReadFile(p)', '\tdata, _ := os.ReadFile(p)', ['4 unclear']],
    ['all', '\terr := json.Unmarshal(d, &v)', '\tjson.Unmarshal(d, &v)', ['4 unclear']],
    ['closing', '\terr := file.Close()', '\t_ = file.Close()', []],
    ['a call that has no error any more', '\terr := s.save()', '\ts.save()', []],
    ['one more place', '\terr := g()', '\terr := g()\n\t_ = g()', []],
  ])('when it is dropped after it was looked at: %s', (_, before, after, expected) => {
    expect(swallowed(inFunction(after), inFunction(before))).toEqual(expected);
  });

  test('is no more when its function moves to another file', () => {
    const text = inFunction('\tif err != nil {\n\t\treturn nil\n\t}');
    expect(swallowedInGo([changed('a.go', text, null), changed('b.go', null, text)])).toEqual([]);
  });
});

test('names that Go declares are those at the top, methods and groups among them', () => {
  expect(
    [
      ...goDeclared(
        'package a\n\nconst (\n\tA, B = 1, 2\n)\n\nvar x, y int\n\ntype (\n\tT struct {\n\t\tfield int\n\t}\n)\n\nfunc (t *T) M() { z := 1 }\n\nfunc F[K any](k K) {}\n',
      ),
    ].toSorted(),
  ).toEqual(['A', 'B', 'F', 'M', 'T', 'x', 'y']);
});

describe('a file of Go of which only the package is left', () => {
  const before = 'package a\n\nfunc F() {}\n';
  const left = '// Package a does things.\npackage a\n';
  test('was emptied', () => {
    expect(emptiedGo([changed('a.go', before, left)]).map(({ rule }) => rule)).toEqual(['file_emptied']);
  });

  test('was not when all of it moved, or when there was nothing in it', () => {
    expect(emptiedGo([changed('a.go', before, left), changed('b.go', null, before)])).toEqual([]);
    expect(emptiedGo([changed('a.go', 'package a\n', left)])).toEqual([]);
  });
});

test.each(['\n', '\n ', ' ', '\t', '/*', '"\n'])(
  'a file of Go that became nothing but %j comes to an end',
  (piece) => {
    const after = piece.repeat(Math.floor(500_000 / piece.length));
    expect(emptiedGo([changed('a.go', 'package a\n\nfunc F() {}\n', after)])).toEqual([]);
  },
);
