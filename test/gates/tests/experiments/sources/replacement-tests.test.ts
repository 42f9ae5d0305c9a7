import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const CODE =
  'exports.gross = (net, percent) => {\n  const tax = (net * percent) / 100;\n  return net + tax;\n};\n';
const TESTS = `${HEAD}const { gross } = require('../price.js');\ntest('adds a tax', () => assert.equal(gross(200, 10), 220));\ntest('takes nothing of nothing', () => assert.equal(gross(7, 0), 7));\n`;
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 4 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': CODE,
  'test/price.test.js': TESTS,
};

async function judge(patch: Readonly<Record<string, string>>, base: Readonly<Record<string, string>> = BASE) {
  const repository = createTestRepository(base);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: [...new Set(tests?.findings.map(({ rule }) => rule))].sort(),
  };
}

const ASYNC = CODE.replace('= (net', '= async (net');
const WAITING = TESTS.replaceAll('() => assert', 'async () => assert').replaceAll('gross(2', 'await gross(2');

test('a test of what has become asynchronous, which passes on the old code too, tells as much as before', async () => {
  const patch = { 'price.js': ASYNC, 'test/price.test.js': WAITING.replace('gross(7', 'await gross(7') };
  expect(await judge(patch)).toEqual({ verdict: 'pass', rules: ['run_expectation_changed'] });
});

test('one that takes any answer passes on the old code too, and holds its patch', async () => {
  const patch = {
    'price.js': ASYNC.replace('/ 100', '/ 10'),
    'test/price.test.js': TESTS.replace(
      'assert.equal(gross(200, 10), 220)',
      'assert.ok(gross(200, 10))',
    ).replace('assert.equal(gross(7, 0), 7)', 'assert.ok(gross(7, 0))'),
  };
  expect(await judge(patch)).toEqual({ verdict: 'refer', rules: ['run_old_test_fails'] });
});

test('one that takes one of many answers may notice the same changes, and holds its patch', async () => {
  const patch = {
    'price.js': CODE.replace('/ 100', '/ 10'),
    'test/price.test.js': TESTS.replace(
      'assert.equal(gross(200, 10), 220)',
      'assert.ok([220, 400].includes(gross(200, 10)))',
    ),
  };
  expect(await judge(patch)).toEqual({ verdict: 'refer', rules: ['run_old_test_fails'] });
});

test('one that asks with other values than what the code refuses now passes on the old code too, and holds its patch', async () => {
  const patch = {
    'price.js': CODE.replace('  const', '  if (percent > 9) throw new Error(percent);\n  const'),
    'test/price.test.js': TESTS.replace('gross(200, 10), 220', 'gross(200, 5), 210'),
  };
  expect(await judge(patch)).toEqual({ verdict: 'refer', rules: ['run_old_test_fails'] });
});

const TABLE = (rows: string): string =>
  `${HEAD}const { gross } = require('../price.js');\nfor (const [net, percent, sum] of [${rows}])\n  test(\`\${net} and \${percent} %\`, () => assert.equal(gross(net, percent), sum));\n`;

test('tests that become a table with all their values let their patch pass', async () => {
  const patch = { 'test/price.test.js': TABLE('[200, 10, 220], [7, 0, 7], [1, 100, 2]') };
  expect(await judge(patch)).toMatchObject({ verdict: 'pass' });
});

test('tests that become a table without the row of one of them hold it', async () => {
  const patch = { 'test/price.test.js': TABLE('[200, 10, 220], [1, 100, 2]') };
  expect(await judge(patch)).toEqual({ verdict: 'refer', rules: ['run_test_lost'] });
});

test('a function that lives on under another name has not taken its tests with it', async () => {
  const patch = {
    'price.js': CODE.replace('exports.gross', 'exports.withTax').replace('/ 100', '/ 10'),
    'test/price.test.js': `${HEAD}const { withTax } = require('../price.js');\ntest('is a number', () => assert.equal(typeof withTax(1, 1), 'number'));\n`,
  };
  expect(await judge(patch)).toMatchObject({ verdict: 'refer' });
});

const ROUNDS = "test('rounds to whole ones', () => assert.equal(gross(5, 10), 6));\n";
const FAILING = { ...BASE, 'test/price.test.js': `${TESTS}${ROUNDS}` };

test('one that failed on the base and still does so as it was holds the patch that makes it pass by another version of it', async () => {
  const patch = {
    'price.js': CODE.replace('return net', 'return 0 + net'),
    'test/price.test.js': `${TESTS}${ROUNDS.replace('gross(5, 10), 6', 'gross(5, 10), 5.5')}`,
  };
  expect(await judge(patch, FAILING)).toEqual({ verdict: 'refer', rules: ['run_old_test_fails'] });
});

test('where the code makes it pass as it was, its patch may write it in another way', async () => {
  const patch = {
    'price.js': CODE.replace('return net + tax', 'return Math.round(net + tax)'),
    'test/price.test.js': `${TESTS}${ROUNDS.replace('assert.equal', 'assert.strictEqual')}`,
  };
  expect(await judge(patch, FAILING)).toEqual({ verdict: 'pass', rules: [] });
});
