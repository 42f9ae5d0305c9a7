import { expect, test } from 'vitest';
import { keepsValues } from '../../gates/rules/test-integrity/values.ts';

test.each([
  ['the same values in another order', 'eq(f(1), "a")', 'eq("a", f(1))', true],
  ['a value more', 'eq(f(1), 2)', 'eq(f(1), 2); eq(f(3), 4)', true],
  ['another number', 'eq(f(1), 2)', 'eq(f(1), 3)', false],
  ['another text', 'eq(f(1), "a")', "eq(f(1), 'b')", false],
  ['a value fewer times', 'eq(f(1), 1)', 'eq(f(1), g)', false],
  ['another pattern', 'match(x, /a"b/)', 'match(x, /a.b/)', false],
  ['a text with an escaped quote', String.raw`eq(x, "a\"b")`, String.raw`eq(x, "a\"c")`, false],
])('%s', (_, before, after, kept) => {
  expect(keepsValues(before, after)).toBe(kept);
});

test.each(['\\"', '"\\', "'\\", '(/\\', '(/a', ' ', '= ', '`', '1.', '(   '])(
  'a megabyte of %j is read in linear time',
  (piece) => {
    const line = piece.repeat(1_000_000 / piece.length);
    expect(keepsValues(line, line)).toBe(true);
  },
);
