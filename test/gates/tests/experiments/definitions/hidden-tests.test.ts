import { describe, expect, test } from 'vitest';
import type { HiddenTestsResult } from '../../../../../gates/core/hidden-tests-result.ts';
import type { PersistentCache } from '../../../../../gates/core/persistent-cache.ts';
import { createTestResult } from '../../../../../gates/core/test-result.ts';
import {
  buildHiddenTestsEvidence,
  selectHiddenTestsOfLanguage,
} from '../../../../../gates/tests/comparing/hidden-tests-evidence.ts';
import { summarizeHiddenTestRun } from '../../../../../gates/tests/experiments/definitions/hidden-tests.ts';
import { deriveVerdictFromEvidence } from '../../../../../shared/control/verdict/reduce-to-verdict.ts';
import { gate } from '../../../../support/builders.ts';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
const BASE = {
  'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': 'exports.price = (n) => n;\n',
  'test/price.test.js': `${HEAD}test('one', () => assert.equal(price(1), 1));\n`,
};
const HIDDEN = `${HEAD}test('secret two', () => assert.equal(price(2), 4));\ntest('secret three', () => assert.equal(price(3), 6));\n`;
const NEW_TEST = `${HEAD}test('two', () => assert.equal(price(2), 4));\n`;

/** Prints all that git has and what lies in the folders of this run, where that looks like a hidden test, and fails. */
const SEARCH = `
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const found = [];
const look = (name, bytes) => { if (bytes.includes('sec' + 'ret t')) found.push(name + ': ' + bytes); };
look('git', spawnSync('git', ['cat-file', '--batch-all-objects', '--batch'], { maxBuffer: 1e9 }).stdout.toString());
for (const each of fs.readdirSync('../../..', { recursive: true })) {
  if (each.endsWith('hidden.' + 'test.js')) found.push(each);
  try {
    const bytes = fs.readFileSync(path.join('../../..', each));
    look(each, bytes.toString('latin1'));
    look(each, require('node:zlib').inflateSync(bytes).toString('latin1'));
  } catch {}
}
console.log('searched', found.join());
if (process.argv[1].endsWith('search.js')) process.exitCode = 1;
`;

async function judge(source: string) {
  const repository = createTestRepository(BASE);
  repository.write({ 'price.js': source, 'test/price.test.js': NEW_TEST });
  const evidence = await gatherEvidenceOn(repository, [], {
    task: { id: 't', title: '', description: '', expectedChanges: ['tests_change', 'expectations_change'] },
    hiddenTests: [{ path: 'test/hidden.test.js', mode: '100644', content: Buffer.from(HIDDEN) }],
  });
  return { verdict: deriveVerdictFromEvidence(evidence).verdict, said: JSON.stringify(evidence) };
}

describe('hidden tests', () => {
  test('an answer that was learnt by heart fails, and nothing of them is told but how many', async () => {
    const { verdict, said } = await judge('exports.price = (n) => (n === 2 ? 4 : n);\n');
    expect(verdict).toBe('fail');
    expect(said).toContain('hidden tests: 1 of 2 fail');
    expect(said).not.toContain('secret');
    expect(said).not.toContain('hidden.test.js');
  });

  test('code of the patch finds nothing of them before and after their run, and nothing that it prints is kept', async () => {
    const repository = createTestRepository({
      ...BASE,
      'assay.yaml':
        `${BASE['assay.yaml']}  lint_command: node search.js\n  type_check_command: node search.js\n  type_check: true\n`.replace(
          'lint: false',
          'lint: true',
        ),
    });
    repository.write({
      'price.js': "require('./search.js'); exports.price = (n) => (n === 2 ? 4 : n);\n",
      'test/price.test.js': NEW_TEST,
      'search.js': SEARCH,
    });
    const kept: unknown[] = [];
    const persistentCache: PersistentCache = {
      get: async () => null,
      put: async (_key, value) => void kept.push(value),
      update: async (_key, change) => void kept.push(change(null)),
    };
    const evidence = await gatherEvidenceOn(
      repository,
      [{ type: 'test_passes', command: 'node search.js' }],
      {
        task: {
          id: 't',
          title: '',
          description: '',
          expectedChanges: ['tests_change', 'expectations_change'],
        },
        hiddenTests: [{ path: 'test/hidden.test.js', mode: '100644', content: Buffer.from(HIDDEN) }],
        persistentCache,
        onTests: (gate, tests) => kept.push([gate, tests]),
      },
    );
    const said = JSON.stringify([evidence, kept]);
    expect(said).toContain('hidden tests: 1 of 2 fail');
    expect(said).toContain('searched');
    expect(said).not.toContain('secret t');
    expect(said).not.toContain('hidden.test.js');
    expect(kept.length).toBeGreaterThan(1);
  });

  test('the work that was asked for passes', async () => {
    expect(await judge('exports.price = (n) => n * 2;\n')).toMatchObject({ verdict: 'pass' });
  });

  test.each([
    ['passed', [createTestResult('a', null, 'passed')], 'passed', '1 pass'],
    ['passed', null, 'passed', 'they pass; no report says how many there are'],
    ['passed', [], 'could_not_run', 'none of them ran'],
    ['passed', [createTestResult('a', null, 'failed')], 'failed', '1 of 1 fail'],
    ['failed', null, 'failed', 'they fail'],
    ['failed', [createTestResult('a', null, 'passed')], 'failed', 'they fail'],
    ['timed_out', null, 'could_not_run', 'could not run (timed_out)'],
    ['could_not_run', null, 'could_not_run', 'could not run (could_not_run)'],
  ] as const)('a run that is %s with %j is %s: "%s"', (outcome, cases, expected, detail) => {
    expect(summarizeHiddenTestRun({ outcome, cases }, null)).toMatchObject({
      outcome: expected,
      detail: `hidden tests: ${detail}`,
    });
  });
});

describe('the evidence of hidden tests', () => {
  const at = (path: string) => ({ path, mode: '100644' as const, content: Buffer.from('x') });
  const said = (outcome: HiddenTestsResult['outcome'], language: HiddenTestsResult['language'] = null) => ({
    outcome,
    ran: 2,
    failed: outcome === 'failed' ? 1 : 0,
    detail: `it ${outcome}`,
    language,
  });
  const ask = (results: HiddenTestsResult[], gates = [gate()], paths = ['test/a.test.js']) =>
    buildHiddenTestsEvidence({ hiddenTests: paths.map(at), results, gates });

  test.each([
    ['pass where every run passes', [said('passed'), said('passed')], 'passed'],
    ['fail where one fails', [said('passed'), said('failed'), said('could_not_run')], 'failed'],
    ['hold where one could not run', [said('passed'), said('could_not_run')], 'could_not_run'],
    ['hold where nothing ran them', [], 'could_not_run'],
  ] as const)('%s', (_what, results, outcome) => {
    const evidence = ask([...results]);
    expect(evidence).toMatchObject({ name: 'hidden_tests', outcome, required: true });
  });

  test('hold where the tools of one language ran and there are hidden tests in another', () => {
    const paths = ['test/a.test.js', 'tests/test_b.py'];
    expect(ask([said('passed', 'javascript')], [gate()], paths)).toMatchObject({
      outcome: 'could_not_run',
      detail: 'hidden tests: nothing here runs those in python',
    });
    expect(ask([said('passed', 'javascript'), said('passed', 'python')], [gate()], paths)?.outcome).toBe(
      'passed',
    );
  });

  test('say nothing of work that is no good anyway, nor of a task without any', () => {
    expect(ask([], [gate({ outcome: 'failed' })])).toBeNull();
    expect(ask([], [gate({ outcome: 'failed', required: false })])?.outcome).toBe('could_not_run');
    expect(buildHiddenTestsEvidence({ hiddenTests: null, results: [], gates: [] })).toBeNull();
  });

  test('go to the tool of their own language, with what belongs to none', () => {
    const hidden = ['test/a.test.js', 'tests/test_b.py', 'data/c.csv'].map(at);
    const paths = (language: 'python' | 'go' | null) =>
      selectHiddenTestsOfLanguage(hidden, language)?.map(({ path }) => path);
    expect(paths('python')).toEqual(['tests/test_b.py', 'data/c.csv']);
    expect(paths('go')).toBeUndefined();
    expect(paths(null)).toHaveLength(3);
  });

  test('are asked also where the repository does not require its tests, and where it has no gate at all', async () => {
    const judged = await gatherEvidenceOn(createTestRepository({ 'a.js': '' }), [], {
      hiddenTests: [at('test/a.test.js')],
    });
    expect(judged.gates).toMatchObject([{ name: 'hidden_tests', outcome: 'could_not_run', required: true }]);
    expect(deriveVerdictFromEvidence(judged).verdict).not.toBe('pass');
  });
});
