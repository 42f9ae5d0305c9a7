import { expect, test } from 'vitest';
import { diffTestInventory } from '../../../../../gates/tests/experiments/sources/test-inventory-diff.ts';
import type {
  TestCaseSource,
  TestSourceIndex,
} from '../../../../../gates/tests/experiments/sources/test-source-index.ts';
import { isTestMergedIntoOthers } from '../../../../../gates/tests/experiments/sources/test-source-index.ts';

const written = (text: string, name = 'ones'): TestCaseSource => ({
  path: 'roman.test.js',
  name,
  enclosingNames: [],
  line: 1,
  text,
  start: 0,
  assertionCount: 1,
  exactAssertionCount: 1,
  isSkipped: false,
  identifiers: new Set(['roman']),
});
const adds = (text: string): TestSourceIndex => ({
  inBase: () => null,
  inPatch: () => null,
  baseTests: [],
  patchTests: [],
  removedSubject: () => null,
  addedTextOf: () => text,
  movedPath: (path) => path,
  changedTexts: [],
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
  expect(isTestMergedIntoOthers(written(text), adds(added), [])).toBe(expected);
});

test.each([
  ['all of them', ["roman(1), 'I'", "roman(2), 'II'"], true],
  ['one of them', ["roman(1), 'I'"], false],
])('a test is divided where tests that are new in the run ask with %s', (_, pieces, expected) => {
  const text = "test('ones', () => { assert.equal(roman(1), 'I'); assert.equal(roman(2), 'II'); });";
  const added = pieces.map((piece, at) => written(`test('n${at}', () => assert.equal(${piece}));`, `n${at}`));
  expect(isTestMergedIntoOthers(written(text), adds(''), added)).toBe(expected);
});

test('a test with less than two values is none that could be told from others', () => {
  expect(
    isTestMergedIntoOthers(written("test('ones', () => assert.ok(roman(1)));"), adds('[1, 2, 3]'), []),
  ).toBe(false);
});

test('a row whose title says another value is the row of its table, and one that is gone is lost', () => {
  const table = written("test.each([[1, 2]])('adds %i to $sum', () => {});", 'adds %i to $sum');
  const bodies: TestSourceIndex = {
    ...adds(''),
    inBase: () => table,
    inPatch: () => table,
    baseTests: [table],
    patchTests: [table],
  };
  const row = (name: string) => ({ name, file: 'a.test.js', outcome: 'passed', duration_ms: null }) as const;
  const [one, two] = [row('adds 1 to 2'), row('adds 3 to 4')];
  const { lost, replacements } = diffTestInventory([one, two], [row('adds 1 to 3')], bodies);
  expect([...replacements.values()].map(({ name }) => name)).toEqual(['adds 1 to 3']);
  expect(lost.map(({ test: { name } }) => name)).toEqual(['adds 3 to 4']);
});

test('a test that is written under the same name in another module has not gone, whatever it asks now', () => {
  const before = written('fn zero() { assert_eq!(div(1, 0), 7); }', 'zero');
  const after = {
    ...written('fn zero() { for n in [1, 2, 3] { assert!(div(n, 0).is_err()); } }', 'zero'),
    path: 'suite.rs',
  };
  const bodies: TestSourceIndex = {
    ...adds(''),
    inBase: () => before,
    inPatch: ({ name }) => (name === 'errors::zero' ? after : null),
    baseTests: [before],
    patchTests: [after],
  };
  const ran = (name: string, file: string) => ({ name, file, outcome: 'passed', duration_ms: null }) as const;
  const { lost, replacements } = diffTestInventory(
    [ran('zero', 'roman.test.js')],
    [ran('errors::one', 'suite.rs'), ran('errors::zero', 'suite.rs')],
    bodies,
  );
  expect(lost).toEqual([]);
  expect([...replacements.values()].map(({ name }) => name)).toEqual(['errors::zero']);
});
