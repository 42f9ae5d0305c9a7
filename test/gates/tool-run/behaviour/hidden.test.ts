import { describe, expect, test } from 'vitest';
import { writeBlob } from '../../../../gates/checkout/edit.ts';
import { testResult } from '../../../../gates/reports/test-result.ts';
import { hiddenResult } from '../../../../gates/tool-run/behaviour/hidden.ts';
import { reduce } from '../../../../shared/verdict/reduce.ts';
import { gatherOn } from '../../../support/gather.ts';
import { makeRepository } from '../../../support/repository.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
const BASE = {
  'assay.yaml':
    'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  runs_decide: true\n  test_command: node --test\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': 'exports.price = (n) => n;\n',
  'test/price.test.js': `${HEAD}test('one', () => assert.equal(price(1), 1));\n`,
};
const HIDDEN = `${HEAD}test('secret two', () => assert.equal(price(2), 4));\ntest('secret three', () => assert.equal(price(3), 6));\n`;
const NEW_TEST = `${HEAD}test('two', () => assert.equal(price(2), 4));\n`;

async function judge(source: string) {
  const repository = makeRepository(BASE);
  repository.write({ 'price.js': source, 'test/price.test.js': NEW_TEST });
  const store = { dir: `${repository.dir}/.git`, format: 'sha1' } as const;
  const id = await writeBlob(store, HIDDEN);
  const evidence = await gatherOn(repository, [], {
    task: { id: 't', title: '', description: '', expects: ['tests_change'] },
    hidden: [{ path: 'test/hidden.test.js', to: { id, mode: '100644' } }],
  });
  return { verdict: reduce(evidence).verdict, said: JSON.stringify(evidence) };
}

describe('hidden tests', () => {
  test('an answer that was learnt by heart fails, and nothing of them is told but how many', async () => {
    const { verdict, said } = await judge('exports.price = (n) => (n === 2 ? 4 : n);\n');
    expect(verdict).toBe('fail');
    expect(said).toContain('hidden tests: 1 of 2 fail');
    expect(said).not.toContain('secret');
    expect(said).not.toContain('hidden.test.js');
  });

  test('the work that was asked for passes', async () => {
    expect(await judge('exports.price = (n) => n * 2;\n')).toMatchObject({ verdict: 'pass' });
  });

  test.each([
    ['passed', [testResult('a', null, 'passed')], null],
    ['passed', [], 'unclear'],
    ['passed', [testResult('a', null, 'failed')], 'fails'],
    ['failed', null, 'fails'],
    ['timed_out', null, 'unclear'],
    ['inert', null, 'unclear'],
  ] as const)('a run that is %s with %j weighs %s', (outcome, cases, weight) => {
    expect(hiddenResult({ outcome, cases })?.weight ?? null).toBe(weight);
  });
});
