import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const TESTS = (...rows: readonly string[]) =>
  `const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\ntest('prices', () => {\n  for (const [n, is] of [${rows.join(', ')}]) assert.equal(price(n), is);\n});\n`;
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 2 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': 'exports.price = (n) => {\n  if (n > 10) return n * 2 - 1;\n  return n * 2;\n};\n',
  'test/price.test.js': TESTS('[1, 2]', '[20, 39]'),
};
const CODE = 'exports.price = (n) => {\n  if (n > 100) return n;\n  return n * 2;\n};\n';

async function judge(test: string) {
  const repository = createTestRepository(BASE);
  repository.write({ 'price.js': CODE, 'test/price.test.js': test });
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    detail: tests?.detail,
    rules: tests?.findings.map(({ rule }) => rule),
  };
}

test('rows that go where the code answers them otherwise now hold the patch', async () => {
  const { verdict, detail } = await judge(TESTS('[1, 2]', '[5, 10]', '[200, 200]'));
  expect(verdict).toBe('refer');
  expect(detail).toContain('no test of the patch covers the values whose answers have changed');
});

test('rows that stay and expect something else are a changed expectation', async () => {
  expect(await judge(TESTS('[1, 2]', '[20, 40]', '[200, 200]'))).toMatchObject({
    verdict: 'pass',
    rules: expect.arrayContaining(['run_expectation_changed']),
  });
});
