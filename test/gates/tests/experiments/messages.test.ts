import { availableParallelism } from 'node:os';
import { expect, test, vi } from 'vitest';
import { ADVERSARIAL_CORPUS } from '../../../../lab/adversarial/corpus.ts';
import { summarizeCorpusRun } from '../../../../lab/adversarial/corpus-report.ts';
import { runCorpus } from '../../../../lab/adversarial/run-corpus.ts';
import { selectRunnableCases } from '../../../../lab/adversarial/runnable-cases.ts';
import { isSampled } from '../../../../lab/adversarial/sampling.ts';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../support/git-repository.ts';

// Messages of rules, of test reports and of experiments become the codes that they are made from.
vi.mock('../../../../gates/rules/framework/run-rules.ts', async (original) => {
  const rules = await original<typeof import('../../../../gates/rules/framework/run-rules.ts')>();
  const runRules: typeof rules.runRules = async (...given) =>
    (await rules.runRules(...given)).map((each) => ({ ...each, message: each.rule }));
  return { ...rules, runRules } satisfies typeof rules;
});
vi.mock('../../../../gates/reports/tool-report.ts', async (original) => {
  const reports = await original<typeof import('../../../../gates/reports/tool-report.ts')>();
  const createTestReport: typeof reports.createTestReport = (...given) => {
    const report = reports.createTestReport(...given);
    return { ...report, findings: report.findings.map((each) => ({ ...each, message: each.rule })) };
  };
  return { ...reports, createTestReport } satisfies typeof reports;
});
vi.mock('../../../../gates/tests/experiments/engine/finding-causes.ts', async (original) => {
  const causes =
    await original<typeof import('../../../../gates/tests/experiments/engine/finding-causes.ts')>();
  const renderFindingCause: typeof causes.renderFindingCause = ({ rule }) => rule;
  return { ...causes, renderFindingCause } satisfies typeof causes;
});

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const GROSS = "test('adds a tax', () => assert.equal(require('../price.js').gross(200), 220));\n";
const half = (asserts: string): string =>
  `test('halves', () => {\n  const { half } = require('../price.js');\n${asserts}});\n`;
const TWO = '  assert.equal(half(8), 4);\n  assert.equal(half(2), 1);\n';

test('a finding about one test says nothing of another in its file', async () => {
  const repository = createTestRepository({
    'assay.yaml':
      'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { enabled: false }\n',
    'package.json': '{"name":"price","private":true}\n',
    'price.js': 'exports.gross = (net) => net + net / 10;\nexports.half = (net) => net / 2;\n',
    'test/price.test.js': `${HEAD}${GROSS}${half(TWO)}`,
  });
  repository.write({
    'price.js': 'exports.gross = (net) => net + net / 5;\nexports.half = (net) => net / 2;\n',
    'test/price.test.js': `${HEAD}${GROSS.replace('220', '240')}${half('  assert.equal(half(8), 4);\n')}`,
  });
  const evidence = await gatherEvidenceOn(repository, []);
  const findings = evidence.gates.find(({ name }) => name === 'tests')?.findings ?? [];
  expect(findings).toMatchObject([{ rule: 'run_expectation_changed', test: 'test > adds a tax' }]);
  expect(deriveVerdictFromEvidence(evidence).verdict).toBe('pass');
});

test('verdicts over a sample of the corpus are the same with codes in the place of messages', async () => {
  const { cases } = selectRunnableCases(ADVERSARIAL_CORPUS.filter(({ name }) => isSampled(name, 24)));
  const report = summarizeCorpusRun(await runCorpus(cases, availableParallelism()));
  expect(report.unexpected.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
}, 300_000);
