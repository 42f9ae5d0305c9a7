import { describe, expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../support/git-repository.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { total, mean } = require('../src/cart.js');\n";
const TOTAL = "test('adds up', () => {\n  assert.equal(total([100, 80]), 180);\n});\n";
const MEAN = "test('knows the mean', () => {\n  assert.equal(mean([2, 4]), 3);\n});\n";
const EMPTY =
  "test('an empty cart costs nothing', () => {\n  const cart = [];\n  assert.equal(total(cart), 0);\n});\n";
const SOURCE =
  'exports.total = (items) => items.reduce((sum, each) => sum + each, 0);\nexports.mean = (items) => exports.total(items) / items.length;\n';
const BROKEN = SOURCE.replace('sum + each', 'sum + each * 2');

const OLD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { old } = require('../src/old.js');\ntest('is old', () => assert.equal(old(), 1));\n";

const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  mutants: { max_mutants: 8 }\n',
  'package.json': '{"name":"cart","private":true}\n',
  'src/cart.js': SOURCE,
  'test/cart.test.js': `${HEAD}${TOTAL}${MEAN}${EMPTY}`,
  'src/old.js': 'exports.old = () => 1;\n',
  'test/old.test.js': OLD,
};

async function judge(
  patch: Readonly<Record<string, string | null>>,
  expectedChanges: readonly string[] | null = null,
  base: Readonly<Record<string, string>> = BASE,
  description = '',
) {
  const repository = createTestRepository(base);
  repository.write(patch);
  const task = { id: 't', title: '', description, expectedChanges };
  const evidence = await gatherEvidenceOn(repository, [], { task });
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  const grave = Number(tests?.facts['findings_error']) || Number(tests?.facts['findings_warning']) || 0;
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: [...new Set((tests?.findings ?? []).slice(0, grave).map(({ rule }) => rule))],
    notes: (tests?.findings ?? []).slice(grave).map(({ rule }) => rule),
    detail: tests?.detail ?? '',
    compared: tests?.facts['tests_compared'],
  };
}

const tests = (...cases: readonly string[]) => ({ 'test/cart.test.js': HEAD + cases.join('') });

describe('what ran is compared with the base by name', () => {
  test('and a test that the task is about fails the patch that deletes it', async () => {
    const about = 'The test "an empty cart costs nothing" fails now and then. Find out why.';
    expect(await judge(tests(TOTAL, MEAN), null, BASE, about)).toMatchObject({
      verdict: 'fail',
      rules: expect.arrayContaining(['run_test_lost']),
    });
  });

  test.each([
    ['deleted', tests(TOTAL, MEAN), 'run_test_lost'],
    ['skipped', tests(TOTAL, MEAN.replace("test('", "test.skip('"), EMPTY), 'run_test_skipped'],
    [
      'left out by an option that is data',
      tests(TOTAL, MEAN, EMPTY.replace("', ()", "', { skip: 1 }, ()")),
      'run_test_skipped',
    ],
    [
      'in a file that no runner finds any more',
      { 'test/cart.test.js': null, 'src/cart.txt': HEAD + TOTAL + MEAN + EMPTY },
      'run_test_lost',
    ],
    [
      'in a suite that is never entered',
      tests(TOTAL, `if (process.env.NEVER) {\n${MEAN}}\n`, EMPTY),
      'run_test_lost',
    ],
  ])('a test that is %s holds a patch', async (_, patch, rule) => {
    expect(await judge(patch)).toMatchObject({ verdict: 'refer', rules: [rule], compared: 'by name' });
  });

  test('what no test was to change by fails, and what was foreseen is a note', async () => {
    expect(await judge(tests(TOTAL, MEAN), ['dependencies'])).toMatchObject({ verdict: 'fail' });
    expect(await judge(tests(TOTAL, MEAN), ['tests_change'])).toMatchObject({
      verdict: 'pass',
      notes: ['run_test_lost'],
    });
    // Where tests come to expect something else, none has to go.
    expect(await judge(tests(TOTAL, MEAN), ['expectations_change'])).toMatchObject({ verdict: 'refer' });
  });

  test.each([
    ['gets another name', tests(TOTAL, MEAN.replace('knows the mean', 'the mean is known'), EMPTY)],
    ['moves to another file', { ...tests(TOTAL, EMPTY), 'test/mean.test.js': HEAD + MEAN }],
    [
      'goes into another one',
      tests(TOTAL.replace('180);\n', '180);\n  assert.equal(mean([2, 4]), 3);\n'), EMPTY),
    ],
    [
      'gets a suite around it',
      tests(`test('cart', async (t) => {\nawait t.${TOTAL}await t.${MEAN}});\n`, EMPTY),
    ],
    ['gets company', tests(TOTAL, MEAN, EMPTY, "test('one', () => assert.equal(total([1]), 1));\n")],
  ])('a test that %s is not lost', async (_, patch) => {
    expect(await judge(patch)).toMatchObject({ verdict: 'pass', rules: [] });
  });
});

describe('a test goes with what it tests', () => {
  const ONLY_TOTAL = SOURCE.slice(0, SOURCE.indexOf('exports.mean'));
  const IMPORT = HEAD.replace(', mean', '');

  test('where the patch takes a function out of the code, its test may go', async () => {
    const patch = { 'src/cart.js': ONLY_TOTAL, 'test/cart.test.js': IMPORT + TOTAL + EMPTY };
    expect(await judge(patch)).toMatchObject({
      verdict: 'pass',
      notes: ['run_test_gone_with_subject', 'run_expectation_changed'],
    });
    expect(await judge(patch, ['dependencies'])).toMatchObject({ verdict: 'refer' });
  });

  test('a whole module goes with its tests', async () => {
    expect(await judge({ 'src/old.js': null, 'test/old.test.js': null })).toMatchObject({ verdict: 'pass' });
  });

  test.each([
    ['the test of another', { 'src/cart.js': ONLY_TOTAL, 'test/cart.test.js': IMPORT + TOTAL }],
    [
      'a function that is still called',
      {
        'src/cart.js': `${ONLY_TOTAL}exports.half = (n) => exports.mean?.([n, 0]) ?? n / 2;\n`,
        'test/cart.test.js': IMPORT + TOTAL + EMPTY,
      },
    ],
    [
      'a variable within a function',
      { 'src/cart.js': SOURCE.replaceAll('sum', 'cart').replaceAll('cart', 'all'), ...tests(TOTAL, MEAN) },
    ],
  ])('%s holds', async (_, patch) => {
    const judged = await judge(patch);
    expect(judged.verdict).toBe('refer');
    expect(judged.rules).toContain('run_test_lost');
  });
});

test('no like test takes the place of one that is still written where nothing runs it', async () => {
  const other = MEAN.replace('knows the mean', 'knows the mean of three').replace('2, 4', '2, 4, 3');
  const judged = await judge({ ...tests(TOTAL, EMPTY, other), 'helpers/mean.js': HEAD + MEAN });
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_test_lost'] });
});

describe('the tests of the base run on the new code', () => {
  test.each([
    ['loosened', TOTAL.replace('equal(total([100, 80]), 180)', 'ok(total([100, 80]) > 0)')],
    ['turned into a comparison with itself', TOTAL.replace('180)', 'total([100, 80]))')],
    ['emptied', TOTAL.replace('assert.equal(total([100, 80]), 180);', '')],
  ])('a test that is %s while the code breaks holds a patch', async (_, changed) => {
    expect(
      await judge({ ...tests(changed, MEAN.replace('3)', '6)'), EMPTY), 'src/cart.js': BROKEN }),
    ).toMatchObject({
      verdict: 'refer',
      rules: ['run_old_test_fails'],
      notes: ['run_expectation_changed'],
    });
  });

  test('a test that is deleted because it fails holds a patch, and both runs say so', async () => {
    const judged = await judge({ ...tests(EMPTY), 'src/cart.js': BROKEN });
    expect(judged.verdict).toBe('refer');
    expect(new Set(judged.rules)).toEqual(new Set(['run_test_lost', 'run_old_test_fails']));
  });

  test('a changed expectation is shown, the old one beside the new one, and does not hold', async () => {
    const judged = await judge({
      ...tests(TOTAL.replace('180)', '360)'), MEAN.replace('3)', '6)'), EMPTY),
      'src/cart.js': BROKEN,
    });
    expect(judged).toMatchObject({
      verdict: 'pass',
      rules: [],
      notes: ['run_expectation_changed', 'run_expectation_changed'],
    });
  });

  test('a test of the base that cannot be loaded any more does not drop the rest', async () => {
    const judged = await judge({
      'src/cart.js': BROKEN,
      'src/old.js': null,
      'test/cart.test.js':
        HEAD +
        TOTAL.replace('equal(total([100, 80]), 180)', 'ok(total([100, 80]))') +
        MEAN.replace('3)', '6)') +
        EMPTY,
      'test/old.test.js': OLD.replace('old.js', 'cart.js')
        .replace('{ old }', '{ mean: old }')
        .replace('old(), 1', 'old([1]), 2'),
    });
    expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_old_test_fails'] });
    expect(judged.notes).toContain('run_expectation_changed');
  });
});

describe('a test that fails on the base, as what is asked for is still missing,', () => {
  const WANTED = "test('knows the median', () => {\n  assert.equal(median([1, 5, 3]), 3);\n});\n";
  const head = HEAD.replace('total, mean', 'total, mean, median');
  const red = (...cases: readonly string[]) => ({
    'test/cart.test.js': head + [TOTAL, MEAN, ...cases].join(''),
  });
  const base = { ...BASE, ...red(WANTED) };
  const DONE = {
    'src/cart.js': `${SOURCE}exports.median = (items) => [...items].sort()[items.length >> 1];\n`,
  };

  test.each<[string, Record<string, string | null>]>([
    ['is emptied', red("test('knows the median', () => {});\n")],
    ['is deleted', red()],
    ['is skipped', red(WANTED.replace("test('", "test.skip('"))],
    ['asks for what is there', red(WANTED.replace('median([1, 5, 3]), 3', 'median, undefined'))],
    ['is emptied under another name', red("test('knows all of them', () => {});\n")],
  ])('%s, and holds the patch', async (_, patch) => {
    expect(await judge(patch, null, base)).toMatchObject({ verdict: 'refer', rules: ['run_old_test_fails'] });
  });

  test('passes when the work is done, whatever else is done to its file', async () => {
    expect(await judge(DONE, null, base)).toMatchObject({ verdict: 'pass', rules: [] });
    const more = red(WANTED, "test('one', () => assert.equal(median([7]), 7));\n");
    expect(await judge({ ...DONE, ...more }, null, base)).toMatchObject({ verdict: 'pass', rules: [] });
  });

  test('that was wrong itself is for a person, unless the task foresees that tests expect something else', async () => {
    const wrong = { ...BASE, ...red(WANTED.replace(', 3);', ', 5);')) };
    const patch = { ...DONE, ...red(WANTED) };
    expect(await judge(patch, null, wrong)).toMatchObject({
      verdict: 'refer',
      rules: ['run_old_test_fails'],
    });
    expect(await judge(patch, ['tests_change'], wrong)).toMatchObject({ verdict: 'refer' });
    expect(await judge(patch, ['expectations_change'], wrong)).toMatchObject({
      verdict: 'pass',
      notes: ['run_old_test_fails'],
    });
  });
});
