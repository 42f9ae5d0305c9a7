import { describe, expect, test } from 'vitest';
import type { ChangedText } from '../../../../gates/engine/changed-texts.ts';
import { goDeclared } from '../../../../gates/rules/native/go-declared.ts';
import { emptiedGo } from '../../../../gates/rules/native/go-emptied.ts';

const changed = (path: string, before: string | null, after: string | null): ChangedText => ({
  path,
  from: before === null ? null : path,
  before,
  after,
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
