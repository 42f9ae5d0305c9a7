import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 2 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': 'exports.price = (n) => n * 2;\n',
  'test/price.test.js': `${HEAD}const { price } = require('../price.js');\ntest('price', () => assert.equal(price(2), 4));\n`,
};
const TAX = 'exports.tax = (n) => {\n  const rate = 20;\n  return (n * rate) / 100;\n};\n';

async function judge(patch: Readonly<Record<string, string>>) {
  const repository = createTestRepository(BASE);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: [...new Set(tests?.findings.map(({ rule }) => rule))],
    detail: tests?.detail,
  };
}
const newTest = (...bodies: readonly string[]): Readonly<Record<string, string>> => ({
  'tax.js': TAX,
  'test/tax.test.js': `${HEAD}const taxes = require('../tax.js');\n${bodies.map((body, at) => `test('tax ${at}', () => { ${body} });\n`).join('')}`,
});

test.each([
  ['asks a stand-in', 'const t = { ...taxes, tax: () => 20 }; assert.equal(t.tax(100), 20);'],
  ['asks for what nobody defines', 'if (taxes.vat) assert.equal(taxes.vat(100), 20);'],
  ['is content with any failure', 'assert.throws(() => taxes.vat(100));'],
])('a new test that %s passes where nothing works, and holds its patch', async (_, body) => {
  const judged = await judge(newTest(body));
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_test_asks_nothing'] });
  expect(judged.detail).toContain('tax 0: passes where no function of the project works');
});

test('a test that asks less than it did is held also where other tests notice the same', async () => {
  const judged = await judge({
    'test/price.test.js': `${HEAD}const { price } = require('../price.js');\ntest('price', () => { if (price === null) assert.equal(price(2), 4); });\ntest('four', () => assert.equal(price(2), 4));\n`,
  });
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_test_asks_nothing'] });
  expect(judged.detail).toContain('and its base version does not');
});

const PRICES = (loop: string, prices: string) => ({
  'price.js': 'exports.price = (n) => n * 2;\nexports.half = (n) => n / 2;\n',
  'test/price.test.js': `${HEAD}const { half, price } = require('../price.js');\nconst prices = ${prices};\ntest('prices', async () => { await ${loop}(prices.map(async ([n, is]) => assert.equal(price(n), is))); });\ntest('half', () => assert.equal(half(10), 5));\ntest('half of nothing', () => assert.equal(half(0), 0));\n`,
});

test('a test that took up another one together with others, and asks nothing where that noticed, holds the patch', async () => {
  const judged = await judge(PRICES('Promise.allSettled', '[[2, 4], [3, 6]]'));
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_test_asks_nothing'] });
  expect(judged.detail).toContain(
    'prices: passes where no function of the project works, and "test > price", which it replaced, does not',
  );
});

test('one that asks for as much as the tests it took up is none', async () => {
  expect(await judge(PRICES('Promise.all', '[[2, 4], [3, 6]]'))).toMatchObject({
    verdict: 'pass',
    rules: [],
  });
});

test('one that asks only whether its subject is there, beside others that ask, is noted', async () => {
  const judged = await judge(
    newTest(
      "assert.equal(typeof taxes.tax, 'function');",
      'assert.equal(taxes.tax(100), 20);',
      'assert.equal(taxes.tax(50), 10);',
    ),
  );
  expect(judged).toMatchObject({ verdict: 'pass', rules: ['run_test_asks_nothing'] });
});

test('a file beside the tests that a runner loads, and a test that only moves, are no tests that ask nothing', async () => {
  const judged = await judge({
    'test/helper.js': 'exports.ask = (a, b) => require("node:assert").equal(a, b);\n',
    'test/price.test.js': `${BASE['test/price.test.js']}const { ask } = require('./helper.js');\ntest('six', () => ask(price(3), 6));\n`,
  });
  expect(judged).toMatchObject({ verdict: 'pass', rules: [] });
});

test('a new test that calls its subject, and would be content with any answer and without the patch, holds it', async () => {
  const judged = await judge({
    'price.js': 'exports.price = (n) => n * 2;\nexports.half = (n) => n / 2;\n',
    'test/price.test.js': `${BASE['test/price.test.js']}test('half', () => { const half = () => 3; price(6); assert.equal(half(6), 3); });\n`,
  });
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_test_asks_nothing'] });
  expect(judged.detail).toContain('passes without the patch');
});

test('one that only calls code which stays as it is asks that nothing goes wrong', async () => {
  const judged = await judge({
    'test/price.test.js': `${BASE['test/price.test.js']}test('takes any number', () => { price(6); });\n`,
  });
  expect(judged).toMatchObject({ verdict: 'pass', rules: [] });
});
