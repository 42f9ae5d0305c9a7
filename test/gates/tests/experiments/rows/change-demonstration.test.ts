import { expect, test } from 'vitest';
import { testsGate } from '../../../../../gates/gates/tests.ts';
import { type FileEdits, runGate } from '../../../../support/patch-fixture.ts';

const suite = (...asserts: readonly string[]): string =>
  `const test = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('./sum.js');\n${asserts.map((each, at) => `test('t${at}', () => { ${each} });\n`).join('')}`;
const ZERO = 'assert.equal(sum(1, 0), 1);';
const ONE = 'assert.equal(sum(1, 1), 2);';
const FIXED = { 'sum.js': 'exports.sum = (a, b) => a + b;\n' };

const demonstrated = async (
  edits: FileEdits,
  base: readonly string[],
  title = 'Fix the sum',
  settings = {},
) => {
  const { metadata } = await runGate(
    testsGate,
    { 'sum.js': 'exports.sum = (a, b) => a - b;\n', 'sum.test.js': suite(...base) },
    edits,
    {
      settings: { tests: true, test_command: 'node --test', mutants: { enabled: false }, ...settings },
      context: { task: { id: 't', title, description: '' } },
    },
  );
  return [metadata?.['change_demonstrated'], metadata?.['change_demonstration']];
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

test('it is not asked where the task asks for no other behaviour, or the repository says so', async () => {
  expect(await demonstrated(FIXED, [ZERO], 'Refactor the sum')).toEqual([undefined, undefined]);
  expect(await demonstrated(FIXED, [ZERO], 'Fix it', { change_demonstration: 'off' })).toEqual([
    undefined,
    undefined,
  ]);
});
