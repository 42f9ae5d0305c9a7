import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatSarif } from '../../../../gates/pipeline/output/write-sarif.ts';
import { GATE_RULES } from '../../../../gates/rules/rule-registry.ts';
import type { Evidence } from '../../../../shared/contract/evidence/schema.ts';

const gate = (name: string, ...rules: readonly string[]) => ({
  name,
  outcome: 'failed',
  blocked: true,
  detail: '',
  findings: rules.map((rule) => ({ file: 'a.py', line: 1, rule, message: 'm' })),
});
const evidence = {
  base_commit: 'b',
  tree: 't',
  changed_files: ['src/a b.py'],
  gates: [gate('suppressions', ...GATE_RULES.map(({ id }) => id)), gate('lint', 'E501', 'E501')],
  // Of the evidence as a whole SARIF has no more than this.
} as unknown as Evidence;

test('every rule of ours leads to its page, which is there, and says how to ask for it', () => {
  const rules = formatSarif(evidence).runs[0]?.tool.driver.rules ?? [];
  expect(rules).toHaveLength(GATE_RULES.length + 1);
  for (const { helpUri } of rules) expect(existsSync(fileURLToPath(helpUri ?? '')), helpUri).toBe(true);
  expect(rules.find(({ id }) => id === 'suppressions/error_swallowed')).toMatchObject({
    shortDescription: { text: 'every error is caught and thrown away' },
    help: { text: expect.stringContaining('assay rules explain error_swallowed') },
    helpUri: expect.stringMatching(/docs\/reference\/rules\.md#error_swallowed$/),
  });
});

test('every result has a location, which GitHub requires', () => {
  const finding = { file: null, line: null, rule: 'test_failed', message: 'a' };
  const tests = { ...gate('tests'), findings: [finding] };
  const of = (changed: readonly string[]) =>
    formatSarif({ ...evidence, changed_files: [...changed], gates: [tests] } as unknown as Evidence).runs[0]
      ?.results[0];
  expect(of(['src/a b.py'])?.locations).toEqual([
    { physicalLocation: { artifactLocation: { uri: 'src/a%20b.py' } } },
  ]);
  expect(of([])?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('assay.yaml');
});

test('links lead to where the documentation is said to be', () => {
  const [first] = formatSarif(evidence, 'https://docs.example.com/assay').runs[0]?.tool.driver.rules ?? [];
  expect(first?.helpUri).toMatch(/^https:\/\/docs\.example\.com\/assay\/reference\/rules\.md#\w+$/);
});
