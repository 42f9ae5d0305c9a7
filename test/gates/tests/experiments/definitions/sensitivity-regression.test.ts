import { expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { Money, share } = require('../money.js');\n";
const CODE = (equals: string, share: string) =>
  `class Money {\n  constructor(cents) { this.cents = cents; }\n  equals(other) { return ${equals}; }\n}\nexports.Money = Money;\nexports.share = (cents, n) => new Money(${share});\n`;
const EXACT = 'this.cents === other.cents';
const OLD = "test('a share', () => assert.ok(share(9, 3).equals(new Money(3))));\n";
const NEW = "test('a share is rounded up', () => assert.ok(share(10, 3).equals(new Money(4))));\n";
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n  perturbed_environment: false\n  mutants: { max_mutants: 2, max_survivor_ratio: 1 }\n',
  'package.json': '{"name":"money","private":true}\n',
  'money.js': CODE(EXACT, 'Math.round(cents / n)'),
  'test/money.test.js': HEAD + OLD,
};

async function judge(patch: Readonly<Record<string, string>>) {
  const repository = createTestRepository(BASE);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository, []);
  const tests = evidence.gates.find(({ name }) => name === 'tests');
  return { verdict: deriveVerdictFromEvidence(evidence).verdict, detail: tests?.detail };
}

test('a test that is written as it was, and takes for the same what it did not since the code compares in another way, holds the patch', async () => {
  const patch = {
    'money.js': CODE('Math.abs(this.cents - other.cents) <= 1', 'Math.round(cents / n)'),
    'test/money.test.js': HEAD + OLD + NEW,
  };
  const { verdict, detail } = await judge(patch);
  expect(verdict).toBe('refer');
  expect(detail).toContain(
    'a share: its base version fails on the old code when every value that the code answers is a little off, and the version of the patch does not',
  );
});

test('where the code compares in another way that tells as much, no test asks for less', async () => {
  const patch = {
    'money.js': CODE('other instanceof Money && this.cents === other.cents', 'Math.ceil(cents / n)'),
    'test/money.test.js': HEAD + OLD + NEW,
  };
  expect(await judge(patch)).toMatchObject({ verdict: 'pass' });
});
