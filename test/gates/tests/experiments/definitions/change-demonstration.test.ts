import { expect, test } from 'vitest';
import { testsGate } from '../../../../../gates/gates/tests.ts';
import { type FileContents, type FileEdits, runGate } from '../../../../support/patch-fixture.ts';

const suite = (...asserts: readonly string[]): string =>
  `const test = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('./sum.js');\n${asserts.map((each, at) => `test('t${at}', () => { ${each} });\n`).join('')}`;
const ZERO = 'assert.equal(sum(1, 0), 1);';
const ONE = 'assert.equal(sum(1, 1), 2);';
const FIXED = { 'sum.js': 'exports.sum = (a, b) => a + b;\n' };

interface Options {
  readonly title?: string;
  readonly expectedChanges?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly baseFiles?: FileContents;
}

const demonstrated = async (
  edits: FileEdits,
  base: readonly string[],
  { title = 'Fix the sum', expectedChanges = [], settings = {}, baseFiles = {} }: Options = {},
) => {
  const { facts } = await runGate(
    testsGate,
    { 'sum.js': 'exports.sum = (a, b) => a - b;\n', 'sum.test.js': suite(...base), ...baseFiles },
    edits,
    {
      settings: { tests: true, test_command: 'node --test', mutants: { enabled: false }, ...settings },
      context: { task: { id: 't', title, description: '', expectedChanges } },
    },
  );
  return [facts?.['change_demonstrated'], facts?.['change_demonstration']];
};

test('a change that no test shows is told from one that a test of the patch shows', async () => {
  expect(await demonstrated(FIXED, [ZERO])).toEqual(['no', 'advise']);
  expect(await demonstrated({ ...FIXED, 'sum.test.js': suite(ZERO, ONE) }, [ZERO])).toEqual([
    'yes',
    'advise',
  ]);
  expect(await demonstrated({ ...FIXED, 'new.test.js': suite(ZERO) }, [ZERO])).toEqual(['no', 'advise']);
  expect(await demonstrated({ ...FIXED, 'new.test.js': suite(ONE) }, [ZERO])).toEqual(['yes', 'advise']);
});

test('a test of the base that fails there and passes now shows it', async () => {
  expect(await demonstrated(FIXED, [ZERO, ONE])).toEqual(['yes', 'advise']);
});

const NEEDED = 'exports.needed = () => 1;\n';
const NEEDING = suite(ZERO).replace('\n', "\nrequire('./needed.js');\n");
const WITHOUT_NEEDED = { 'needing.test.js': NEEDING };

test('a test file that the base cannot load and that passes now shows it', async () => {
  const baseFiles = WITHOUT_NEEDED;
  expect(await demonstrated({ 'needed.js': NEEDED }, [ZERO], { baseFiles })).toEqual(['yes', 'advise']);
  const withTest = `${NEEDING}test('more', () => { ${ZERO} });\n`;
  expect(
    await demonstrated({ 'needed.js': NEEDED, 'needing.test.js': withTest }, [ZERO], { baseFiles }),
  ).toEqual(['yes', 'advise']);
});

test('a test file that the base cannot load does not show it where the patch leaves, removes or mends the file', async () => {
  const baseFiles = WITHOUT_NEEDED;
  const edits: readonly FileEdits[] = [
    { 'other.js': '' },
    { 'other.js': '', 'needing.test.js': null },
    { 'other.js': '', 'needing.test.js': suite(ZERO) },
  ];
  const expectedChanges = ['tests_change', 'expectations_change'] as const;
  for (const each of edits)
    expect(await demonstrated(each, [ZERO], { baseFiles, expectedChanges })).toEqual(['no', 'advise']);
});

test('it is not asked where the task asks for no other behaviour, or the repository says so', async () => {
  expect(await demonstrated(FIXED, [ZERO], { title: 'Refactor the sum' })).toEqual([undefined, undefined]);
  expect(
    await demonstrated(FIXED, [ZERO], { title: 'Fix it', settings: { change_demonstration: 'off' } }),
  ).toEqual([undefined, undefined]);
});
