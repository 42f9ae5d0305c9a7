import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const CODE =
  'export const gross = (net, percent) => {\n  const tax = (net * percent) / 100;\n  return net + tax;\n};\n\nexport const half = (net) => net / 2;\n';
const head = (names: string): string =>
  `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { ${names} } from '../price.mjs';\n`;
const GROSS = "test('adds a tax', () => assert.equal(gross(200, 10), 220));\n";
const HALF = "test('halves', () => assert.equal(half(8), 4));\n";
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 2 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.mjs': CODE,
  'test/price.test.mjs': `${head('gross, half')}${GROSS}${HALF}`,
};
const BROKEN = CODE.replace('/ 100', '/ 10');
const MORE = 'export const twice = (net) => net * 2;\n';
const TWICE = "test('doubles', () => assert.equal(twice(4), 8));\n";

async function judge(code: string, tests: string) {
  const repository = createTestRepository(BASE);
  repository.write({ 'price.mjs': code, 'test/price.test.mjs': tests });
  const evidence = await gatherEvidenceOn(repository, []);
  const gate = evidence.gates.find(({ name }) => name === 'tests');
  const findings = (gate?.findings ?? []).filter(({ rule }) => rule !== 'run_mutant_survives');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    rules: [...new Set(findings.map(({ rule }) => rule))].sort(),
    detail: gate?.detail ?? '',
  };
}

test('a changed test is asked of the old code also where its file needs the new code', async () => {
  const loose = GROSS.replace('assert.equal(gross(200, 10), 220)', 'assert.ok(gross(200, 10) > 0)');
  const judged = await judge(BROKEN + MORE, `${head('gross, half, twice')}${loose}${HALF}${TWICE}`);
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_old_test_fails'] });
  expect(judged.detail).toContain('it no longer tells old code from new');
});

test('one that expects what the new code does is a changed expectation there', async () => {
  const judged = await judge(
    BROKEN + MORE,
    `${head('gross, half, twice')}${GROSS.replace('220', '400')}${HALF}${TWICE}`,
  );
  expect(judged).toMatchObject({ verdict: 'pass', rules: ['run_expectation_changed'] });
});

test('a test of the base is asked of the new code also where its file needs what the patch takes out', async () => {
  const judged = await judge(
    BROKEN.replace(/export const half.*\n/, ''),
    `${head('gross')}${GROSS.replace('assert.equal(gross(200, 10), 220)', 'assert.ok(gross(200, 10) > 0)')}`,
  );
  expect(judged.verdict).toBe('refer');
  expect(judged.rules).toContain('run_old_test_fails');
});

test('a like new test takes no place where nothing asks for what makes the old one fail', async () => {
  const instead = "test('takes nothing of twice', () => assert.equal(twice(gross(200, 0)), 400));\n";
  const judged = await judge(BROKEN + MORE, `${head('gross, half, twice')}${HALF}${instead}`);
  expect(judged).toMatchObject({ verdict: 'refer', rules: ['run_old_test_fails'] });
  expect(judged.detail).toContain('no test of the patch fails without that change');
});

test('another name with the same values is the test with another expectation', async () => {
  const judged = await judge(
    BROKEN,
    `${head('gross, half')}${GROSS.replace('adds a tax', 'adds a tithe').replace('220', '400')}${HALF}`,
  );
  expect(judged).toMatchObject({ verdict: 'pass', rules: ['run_expectation_changed'] });
});

test('to put back a name that is gone disturbs nobody, and is not asked for', async () => {
  const judged = await judge(
    CODE.replace('half', 'halved').replace('/ 2', '* 0.5'),
    `${head('gross, halved')}${GROSS}${HALF.replace('half(', 'halved(')}`,
  );
  expect(judged.verdict).toBe('pass');
});
