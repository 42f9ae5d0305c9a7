import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deliverWork } from '../../functions/deliver/deliver-work.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { createTestRepository } from '../support/git-repository.ts';
import {
  agentAssignment,
  deliverAssignment,
  gatesAssignment,
  inBox,
  NO_PUSH_CREDENTIALS,
  startBox,
} from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await startFakeApi();
});
afterAll(() => api.stop());

test('an agent edits files, gates look at the very same tree, and the branch that is delivered holds it', async () => {
  const repository = createTestRepository({
    'sum.js': 'exports.sum = (a, b) => a - b;\n',
    'sum.test.js':
      "const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('adds', () => assert.equal(require('./sum.js').sum(1, 2), 3));\n",
    'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
  });
  const argv = [
    'bash',
    '-c',
    'sed -i "s/a - b/a + b/" sum.js; mkdir docs; echo done > docs/notes.txt; echo worked',
  ];
  const agent = startBox(
    ['containers/agent/main.ts'],
    api,
    agentAssignment(api, repository.url, argv, { base_commit: repository.git('rev-parse', 'HEAD') }),
  );
  expect((await agent.ended).log).toBe('');
  const complete = (await api.called('complete')).body as {
    base_commit: string;
    tree: string;
    patch: string;
    summary: string;
  };
  expect(complete.summary).toBe('worked');

  const work = { ...complete, patch: Buffer.from(complete.patch) };
  const gates = startBox(
    ['containers/gates/main.ts'],
    api,
    gatesAssignment(api, repository.url, work, {
      signals: [
        { type: 'path_exists', path: 'docs/notes.txt' },
        { type: 'test_passes', command: 'node --test', timeout_s: 60 },
      ],
    }),
  );
  expect((await gates.ended).log).toBe('');
  const { evidence } = (await api.called('evidence')).body as { evidence: Evidence };
  expect(evidence.signals.map((signal) => signal.outcome)).toEqual(['passed', 'passed']);
  expect(evidence.gates.map((gate) => [gate.name, gate.outcome])).toContainEqual(['tests', 'passed']);
  expect(evidence.changed_files).toEqual(['docs/notes.txt', 'sum.js']);
  expect(deriveVerdictFromEvidence(evidence)).toMatchObject({
    verdict: 'pass',
    verified: true,
    tests_run: true,
  });

  vi.stubEnv('ASSAY_API_URL', api.url);
  await inBox((box) => deliverWork(deliverAssignment(api, repository.url, work), box, NO_PUSH_CREDENTIALS));
  expect(repository.git('rev-parse', 'assay/T1^{tree}')).toBe(complete.tree);
  expect(repository.git('rev-parse', 'assay/T1^')).toBe(complete.base_commit);
  expect(api.bodies('delivery').map((body) => body['step'])).toEqual(['authorize', 'delivered']);
});
