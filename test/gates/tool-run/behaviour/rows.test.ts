import { expect, test } from 'vitest';
import type { Bodies, Written } from '../../../../gates/tool-run/behaviour/bodies.ts';
import { isRow } from '../../../../gates/tool-run/behaviour/rows.ts';

const written = (text: string, name = 'ones'): Written => ({
  path: 'roman.test.js',
  name,
  line: 1,
  text,
  start: 0,
  assertions: 1,
  exact: 1,
  skipped: false,
  uses: new Set(['roman']),
});
const adds = (text: string): Bodies => ({
  before: () => null,
  after: () => null,
  allBefore: [],
  allAfter: [],
  goneSubject: () => null,
  addedTo: () => text,
  movedTo: (path) => path,
  texts: [],
});

test.each([
  ['all its values stand in a table', "[1, 'I'], [2, 'II']", true],
  ['in other quotes, and with marks between digits', '[1, "I"], [2, "II"], [1_000, "M"]', true],
  ['a value is missing', "[1, 'I'], [2, 'IV']", false],
  ['a row is missing', "[1, 'I']", false],
  ['nothing is added', '', false],
])('a test becomes rows where %s', (_, added, expected) => {
  const text =
    "test('ones', () => { assert.equal(roman(1), 'I'); assert.equal(roman(2), 'II', 'not two'); });";
  expect(isRow(written(text), adds(added))).toBe(expected);
});

test('a test with less than two values is none that could be told from others', () => {
  expect(isRow(written("test('ones', () => assert.ok(roman(1)));"), adds('[1, 2, 3]'))).toBe(false);
});
