import { expect, test } from 'vitest';
import { compileFilter } from '../../../../infra/local/event-sources/filter.ts';

test.each([
  ['an exact value', { a: ['x'] }, { a: 'x' }, { a: 'y' }],
  ['null', { a: [null] }, { a: null }, {}],
  ['a number, not its text', { a: [1] }, { a: 1 }, { a: '1' }],
  ['any of several values', { a: ['x', true] }, { a: true }, { a: false }],
  ['every name', { a: ['x'], b: ['y'] }, { a: 'x', b: 'y' }, { a: 'x' }],
  ['a nested value', { a: { b: { c: ['x'] } } }, { a: { b: { c: 'x' } } }, { a: { b: 'x' } }],
  ['a member of a list', { a: ['x'] }, { a: ['w', 'x'] }, { a: ['w'] }],
  ['a prefix', { a: [{ prefix: 'in_' }] }, { a: 'in_review' }, { a: 'review' }],
  ['a suffix', { a: [{ suffix: '.ts' }] }, { a: 'x.ts' }, { a: 'x.tsx' }],
  ['without regard to case', { a: [{ 'equals-ignore-case': 'Yes' }] }, { a: 'yES' }, { a: 'no' }],
  ['what exists', { a: [{ exists: true }] }, { a: null }, { b: 1 }],
  ['what does not exist', { a: [{ exists: false }] }, {}, { a: 1 }],
  ['anything but a value', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, { a: 'x' }],
  ['anything but values', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'z' }, { a: 'y' }],
  ['anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'yx' }, { a: 'xy' }],
  ['only what is there by anything-but', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, {}],
  ['a range of numbers', { a: [{ numeric: ['>', 1, '<=', 3] }] }, { a: 3 }, { a: 1 }],
  ['a number of an item only by its text', { n: { N: ['5'] } }, { n: { N: '5' } }, { n: { N: 5 } }],
])('a pattern matches %s', (_what, pattern, matching, other) => {
  const matches = compileFilter(pattern);
  expect([matches(matching), matches(other)]).toEqual([true, false]);
});

test.each([
  ['an unknown comparison', { a: [{ cidr: '10.0.0.0/8' }] }, 'cidr'],
  ['an unknown relation', { a: [{ numeric: ['!=', 1] }] }, 'numeric'],
  ['$or', { $or: [{ a: ['x'] }] }, '$or'],
  ['a value that is no list', { a: 'x' }, '"x"'],
  ['a pattern that is no object', ['x'], '["x"]'],
])('a pattern with %s is refused by name', (_what, pattern, named) => {
  expect(() => compileFilter(pattern)).toThrow(named);
});
