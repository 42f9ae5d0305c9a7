import { describe, expect, test } from 'vitest';
import { redFirstGate } from '../../gates/gates/red-first.ts';
import { createFailedTestLookup, readFailedTests } from '../../gates/tests/red-first/run-red-first.ts';
import { gatherEvidenceOn } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { runGate } from '../support/patch-fixture.ts';

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const old = `${HEAD}test('adds', () => assert.equal(require('../sum.js').sum(1, 2), 3));\n`;
const base = { 'sum.js': 'exports.sum = (a, b) => a + b;\n', 'test/sum.test.js': old };
const product = { 'sum.js': 'exports.sum = (a, b) => a + b;\nexports.product = (a, b) => a * b;\n' };
const red = `${old}test('multiplies', () => assert.equal(require('../sum.js').product(2, 3), 6));\n`;
const green = `${red}test('adds more', () => assert.equal(require('../sum.js').sum(2, 3), 5));\n`;

describe('new tests', () => {
  test.each([
    [
      'that fail without the patch',
      'node --test --test-reporter=tap',
      { ...product, 'test/sum.test.js': red },
      'passed',
      [],
    ],
    [
      'of which one passes without the patch, named by the runner',
      'node --test --test-reporter=tap',
      { ...product, 'test/sum.test.js': green },
      'failed',
      ['"adds more"'],
    ],
    [
      'of which one passes without the patch, named in JUnit XML',
      'node --test --test-reporter=junit',
      { ...product, 'test/sum.test.js': green },
      'failed',
      ['"adds more"'],
    ],
    [
      'in a file of their own, all of which pass without the patch',
      'node --test {files}',
      {
        ...product,
        'test/more.test.js': `${HEAD}test("it's there", () => assert.ok(require('../sum.js').sum));\n`,
      },
      'failed',
      ['"it\'s there"'],
    ],
    ['that do not pass on the patch', 'node --test', { 'test/sum.test.js': red }, 'failed', []],
    ['that are none', 'node --test', { ...product, 'test/sum.test.js': `// sums\n${old}` }, 'skipped', []],
    [
      'whose runner is not there',
      'no-such-runner',
      { ...product, 'test/sum.test.js': red },
      'could_not_run',
      [],
    ],
  ])('%s', async (_, command, edits, outcome, named) => {
    const result = await runGate(redFirstGate, base, edits, { context: { command } });
    expect(result.outcome).toBe(outcome);
    expect(result.findings.map(({ message }) => /"[^"]*"/.exec(message)?.[0])).toEqual(named);
  });

  test('say nothing where the tests of the base fail by themselves, and nobody names tests', async () => {
    const broken = { ...base, 'sum.js': 'exports.sum = () => 0;\n' };
    const patch = {
      ...product,
      'test/more.test.js': `${HEAD}test('new', () => assert.equal(require('../sum.js').product(1, 1), 1));\n`,
    };
    const result = await runGate(redFirstGate, broken, patch, {
      context: { command: 'node --test; exit $?' },
    });
    expect(result).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('by themselves'),
    });
  });

  test('without a command cannot be run', async () => {
    const result = await runGate(redFirstGate, base, { 'test/sum.test.js': red });
    expect(result.outcome).toBe('could_not_run');
  });
});

test('the gate repeats no run of the tests gate', async () => {
  const config =
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  red_first: true\n  mutants: { enabled: false }\n  perturbed_environment: false\n';
  const repository = createTestRepository({
    ...base,
    'package.json': '{"scripts":{"unit":"node --test"}}\n',
    'assay.yaml': config,
    'test/other.test.js': old,
  });
  repository.write({ ...product, 'test/sum.test.js': red });
  const evidence = await gatherEvidenceOn(repository, []);
  const gates = evidence.gates.filter(({ name }) => name === 'tests' || name === 'red_first');
  expect(gates.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  const runs = gates.reduce((sum, { facts }) => sum + Number(facts['test_runs'] ?? 0), 0);
  // The patch, the base, the base's tests on the new code, and the new tests on the base's code.
  expect(runs).toBe(4);
});

test.each([
  ['TAP version 13\nnot ok 1 - a \\# b # time=1\n1..1\n', 'a # b', true],
  ['TAP version 13\n    not ok 2 - inner\nnot ok 3 - outer\nok 4 - other\n1..2\n', 'other', false],
  ['TAP version 13\n    not ok 2 - inner\nok 3 - outer\n1..1\n', 'inner', true],
])('%o: %s failed is %s', async (output, name, expected) => {
  expect((await readFailedTests(output, 0))?.hasFailed(name)).toBe(expected);
});

test.each([
  ['1 failed', 0],
  ['TAP version 13\nnot ok 1 - a\n', 5],
  ['<testsuites><testsuite', 0],
])('%o is no report', async (output, cut) => {
  expect(await readFailedTests(output, cut)).toBeNull();
});

test('what fails without a test case is named by its field, not by its message', () => {
  const complaint = { file: null, line: null, rule: 'package_failed', message: 'does not build', key: '' };
  const failed = createFailedTestLookup({
    cases: [],
    findings: [{ ...complaint, test: 'example.org/a: b' }],
  });
  expect(failed?.hasFailed('example.org/a: b')).toBe(true);
  expect(failed?.hasFailed('does not build')).toBe(false);
});
