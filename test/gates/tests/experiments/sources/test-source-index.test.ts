import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD =
  "const { describe, test } = require('node:test');\nconst assert = require('node:assert');\nconst { add, less } = require('../sum.js');\n";
const ADDS =
  "test('with a number', () => {\n  assert.equal(add(2, 3), 5);\n  assert.equal(add(7, 1), 8);\n});\n";
const LESS =
  "test('with a number', () => {\n  assert.equal(less(9, 4), 5);\n  assert.equal(less(3, 3), 0);\n});\n";
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { enabled: false }\n',
  'package.json': '{"name":"sum","private":true}\n',
  'sum.js': 'exports.add = (a, b) => a + b;\nexports.less = (a, b) => a - b;\n',
  'test/sum.test.js': `${HEAD}describe('add', () => {\n${ADDS}});\ndescribe('less', () => {\n${LESS}});\n`,
};

async function judge(patch: Readonly<Record<string, string | null>>) {
  const repository = createTestRepository(BASE);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: tests?.findings.map(({ rule }) => rule),
  };
}

test('tests of one name in two groups are told apart when their file is divided and its groups go', async () => {
  const patch = {
    'test/sum.test.js': null,
    'test/add.test.js': `${HEAD}${ADDS}`,
    'test/less.test.js': `${HEAD}${LESS}`,
  };
  expect(await judge(patch)).toEqual({ verdict: 'pass', rules: [] });
});

test('of two tests of one name that only one is left is seen', async () => {
  const patch = { 'test/sum.test.js': null, 'test/add.test.js': `${HEAD}${ADDS}` };
  expect(await judge(patch)).toMatchObject({ verdict: 'refer', rules: ['run_test_lost'] });
});
