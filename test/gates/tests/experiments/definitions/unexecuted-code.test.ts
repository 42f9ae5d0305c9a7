import { describe, expect, it } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const SOURCE = 'exports.price = (n) => n * 2;\n';
const testOf = (module: string, value = 4): string =>
  `${HEAD}const { price } = require('${module}');\ntest('price', () => assert.equal(price(2), ${value}));\n`;
const base = (module: string) => ({
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 2 }\n',
  'package.json': '{"name":"price","private":true}\n',
  'src/price.js': SOURCE,
  'dist/price.js': SOURCE,
  'node_modules/price/index.js': SOURCE,
  'test/price.test.js': testOf(module),
});

async function judge(module: string, patch: Readonly<Record<string, string>>) {
  const repository = createTestRepository(base(module));
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return {
    verdict: deriveVerdictFromEvidence(evidence).verdict,
    detail: tests?.detail,
    rules: (tests?.findings ?? []).map(({ rule }) => rule),
  };
}

describe('tests that run other code than the patched tree', () => {
  const BROKEN = { 'src/price.js': 'exports.price = (n) => {\n  return n + 100;\n};\n' };

  it('need review, where a patch breaks the source: a built copy', async () => {
    const judged = await judge('../dist/price.js', BROKEN);
    expect(judged.verdict).toBe('refer');
    expect(judged.rules).toContain('run_code_not_executed');
  });

  it('need review, where a patch breaks the source: an installed package of the same name', async () => {
    const judged = await judge('price', BROKEN);
    expect(judged.verdict).toBe('refer');
    expect(judged.detail).toContain('the package price was loaded from node_modules/price');
  });

  it('are none where only the lines of the patch are not noticed', async () => {
    const judged = await judge('../src/price.js', {
      'src/price.js': `${SOURCE}exports.tax = (n) => {\n  return n + 20;\n};\n`,
    });
    expect(judged.rules).not.toContain('run_code_not_executed');
    expect(judged.verdict).toBe('pass');
  });
});
