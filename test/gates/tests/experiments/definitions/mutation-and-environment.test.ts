import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

/** Told by mutants, or before them by other answers. */
const ASKS_LESS = /^run_tests_weakened$|^run_test_asks_less$/;

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price, tax } = require('../src/price.js');\n";
const SOURCE = 'exports.price = (n) => n * 2;\n';
const TEST = `${HEAD}test('price', () => assert.equal(price(2), 4));\n`;
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  mutants: { max_mutants: 6 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'src/price.js': SOURCE,
  'test/price.test.js': TEST,
};
const TAX =
  'exports.tax = (n, rate) => {\n  if (n < 0 || rate < 0) return 0;\n  const whole = n * rate;\n  return whole / 100 + 1;\n};\n';

async function judge(patch: Readonly<Record<string, string>>) {
  const repository = createTestRepository(BASE);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, [], {
    task: { id: 't', title: '', description: '', expectedChanges: ['tests_change'] },
  });
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: [...new Set(tests?.findings.map(({ rule }) => rule))],
    facts: tests?.facts ?? {},
    detail: tests?.detail ?? '',
  };
}

test('code that behaves otherwise where nobody seems to check is held', async () => {
  const judged = await judge({
    'src/price.js': 'exports.price = (n) => (process.env.CI ? n * 2 : n * 3);\n',
  });
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_depends_on_surroundings'] });
});

test('a new test that notices nothing of what is changed in the added lines holds its patch', async () => {
  const judged = await judge({
    'src/price.js': `${SOURCE}${TAX}`,
    'test/price.test.js': `${TEST}test('tax', () => { tax(100, 5); });\n`,
  });
  expect(judged.detail).toContain('no test notices');
  expect(judged).toMatchObject({
    verdict: 'refer',
    rules: ['run_mutant_survives'],
    facts: { mutants_tried: 3, mutants_survived: 3 },
  });
});

test('code that is only set in another way is not the patch that brings it, whatever tests say of it', async () => {
  const table = (quote: string, end: string): string =>
    `${SOURCE}exports.months = {${['jan', 'feb', 'mar'].map((name, at) => `${quote}${name}${quote}: ${at + 1}`).join(`,${end}`)}};\n`;
  const repository = createTestRepository({ ...BASE, 'src/price.js': table('', ' ') });
  repository.write({
    'src/price.js': table("'", '\n  '),
    'test/price.test.js': `${TEST.replace('price(2), 4', '\n  price(2),\n  4,\n')}`,
  });
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  expect(tests).toMatchObject({ outcome: 'passed', facts: { mutants_possible: 0 } });
  expect(deriveVerdictFromEvidence(evidence).verdict).toBe('pass');
});

test('a change after which the tests never end is noticed, and does not take the time of the gate', async () => {
  const judged = await judge({
    'src/price.js': `${SOURCE}exports.tax = (n) => {\n  let left = n;\n  while (left > 0) left = left - 1;\n  return left;\n};\n`,
    'test/price.test.js': `${TEST}test('tax', () => assert.equal(tax(3), 0));\n`,
  });
  expect(judged).toMatchObject({ verdict: 'pass', facts: { mutants_tried: 4 } });
});

test('a patch whose tests notice half of what is changed in the added lines is held, and as soon as that is certain', async () => {
  const judged = await judge({
    'src/price.js': `${SOURCE}${TAX}`,
    'test/price.test.js': `${TEST}test('tax', () => assert.ok(tax(100, 5) > 0));\n`,
  });
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_mutant_survives'] });
});

test('tests that notice let their patch pass, and the record says how much was tried', async () => {
  const judged = await judge({
    'src/price.js': `${SOURCE}${TAX}`,
    'test/price.test.js': `${TEST}test('tax', () => {\n  assert.equal(tax(100, 5), 6);\n  assert.equal(tax(-1, 5), 0);\n  assert.equal(tax(1, -5), 0);\n  assert.equal(tax(0, 5), 1);\n});\n`,
  });
  expect(judged.verdict).toBe('pass');
  expect(judged.facts).toMatchObject({
    mutants_tried: 4,
    perturbed_environment: 'no test reads its environment',
  });
});

test.each([
  ['an exact result becomes any', 'assert.ok(price(2))', 'refer'],
  ['a result is compared with itself', 'assert.equal(price(2), price(2))', 'refer'],
  ['a result is asked for in another way', 'assert.strictEqual(price(2), 4)', 'pass'],
])('a test in which %s is tried on mutants of what it tests', async (_, instead, verdict) => {
  const judged = await judge({ 'test/price.test.js': TEST.replace('assert.equal(price(2), 4)', instead) });
  expect(judged.verdict).toBe(verdict);
  if (verdict === 'refer') expect(judged.rules.some((rule) => ASKS_LESS.test(rule))).toBe(true);
});

test('a test that asks for less is told also where another one changes what it expects', async () => {
  const both = (price: string, twice: string): string =>
    `${HEAD}test('price', () => ${price});\ntest('twice', () => ${twice});\n`;
  const repository = createTestRepository({
    ...BASE,
    'src/price.js': `${SOURCE}exports.tax = (n) => n / 5;\n`,
    'test/price.test.js': both('assert.equal(price(2), 4)', 'assert.equal(tax(10), 2)'),
  });
  repository.write({
    'src/price.js': `${SOURCE}exports.tax = (n) => n / 10;\n`,
    'test/price.test.js': both('assert.ok(price(2))', 'assert.equal(tax(10), 1)'),
  });
  const evidence = await gatherEvidenceOn(repository, []);
  const findings = evidence.gates.find(({ name }) => name === 'tests')?.findings ?? [];
  expect(findings.some(({ rule }) => ASKS_LESS.test(rule))).toBe(true);
  expect(deriveVerdictFromEvidence(evidence).verdict).toBe('refer');
});
