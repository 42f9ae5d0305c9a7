import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { HiddenTests, serializeHiddenTests } from '../../shared/contract/submission/hidden-tests.ts';
import {
  buildContainerEnvironment,
  CONFINE_COMMAND,
  canConfine,
  createTraversableFolder,
  warnAboutSkippedTests,
} from '../support/confinement.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { startModelServer } from '../support/models/model-server.ts';
import {
  createReportFolder,
  plantSecret,
  readReports,
  type SearchReport,
  secretSearch,
} from '../support/secret-search.ts';
import { agentAssignment, gatesAssignment, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

warnAboutSkippedTests(4);
let api: FakeApi;
let reports: string;
beforeEach(async () => {
  api = await startFakeApi();
  reports = createReportFolder();
});
afterEach(() => api.stop());

const HEAD = "require('../search.cjs');\nconst { test } = require('node:test');\n";
const TEST = (name: string, value: number): string =>
  `test('${name}', () => require('node:assert').equal(require('../price.cjs').price(${value}), ${value * 2}));\n`;
/** `base` has price(1) = 2 only, so that the patch has something to do. */
const BASE_CODE = 'exports.price = (n) => (n === 1 ? 2 : n);\n';
const PATCH_CODE = 'exports.price = (n) => (n < 9 ? n * 2 : 0);\n';
const MODULE = `import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
export default { name: 'own', async run({ root, baseRoot }) {
  const { status, stderr } = spawnSync(process.execPath, ['search.cjs', 'module'], { cwd: root });
  let detail = 'status ' + status + ' ' + stderr;
  try { appendFileSync(baseRoot + '/price.cjs', 'x'); detail = 'wrote into the base'; } catch {}
  return { outcome: status === 0 ? 'passed' : 'failed', detail };
} };
`;
/** Leaves what the tests of the tree say among the dependencies, which sandboxes share. */
const LEAVE = 'mkdir -p node_modules/dep && cat test/*.cjs > node_modules/dep/tests.txt';
const CONFIG = `version: 1
environment:
  setup: ['${LEAVE}; node search.cjs setup']
quality_gates:
  merge_conflict_check: true
  tests: true
  test_command: node --test
  experiment_budget: 4
  lint: true
  lint_command: node search.cjs lint
  type_check: true
  type_check_command: node search.cjs type_check; grep base a.txt
  custom_gates:
    - { name: custom, command: node search.cjs custom_command }
verification_gate:
  required_tests: [node search.cjs agent_check]
`;

/** A repository whose history, other branches and newer commits hold secrets, and whose base and patch hold none. */
function createTask() {
  const repository = createTestRepository({ 'old.txt': plantSecret('history') });
  const base_commit = repository.commit({
    'old.txt': null,
    'assay.yaml': CONFIG,
    'a.txt': 'base\n',
    'search.cjs': secretSearch(reports, api.url),
    'price.cjs': BASE_CODE,
    'test/price.test.cjs': `${HEAD}${TEST('one', 1)}`,
    '.assay/gates/own.mjs': MODULE,
    'package.json': '{ "name": "price", "private": true }\n',
  });
  repository.git('checkout', '--quiet', '--detach');
  repository.commit({
    'a.txt': 'patch\n',
    'price.cjs': PATCH_CODE,
    'test/price.test.cjs': `${HEAD}${TEST('one', 1)}${TEST('two', 2)}`,
    'test/new.test.cjs': `${HEAD}${TEST('three', 3)}`,
  });
  const patch = Buffer.from(`${repository.git('diff', '--binary', '--full-index', base_commit, 'HEAD')}\n`);
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  repository.git('checkout', '--quiet', '-b', 'other', base_commit);
  repository.commit({ 'b.txt': plantSecret('branch') });
  repository.git('checkout', '--quiet', 'main');
  // The upstream branch has moved on.
  repository.commit({ 'c.txt': plantSecret('upstream') });
  return { repository, base_commit, tree, patch };
}

/** With a manifest of their own, hidden tests have an environment of their own. */
const MANIFEST = { path: 'package.json', content: '{ "name": "exam", "private": true }\n' };
/** @param value of the second test; the patch fails from 9 on, and then most experiments are left out. */
const hiddenFile = (value: number): string =>
  `// ${plantSecret('hidden')}\n${HEAD}${TEST('five', 5)}${TEST('other', value)}`;

/** Puts hidden tests where the gates container is told to read them. */
function placeHiddenTests(tests: unknown) {
  const text = serializeHiddenTests(HiddenTests.parse(tests));
  const path = `/objects/${plantSecret('object')}`;
  api.objects.set(path, Buffer.from(text));
  const sha256 = createHash('sha256').update(text).digest('hex');
  const read_credential = `Basic ${plantSecret('credential')}`;
  return { url: `${api.url}${path}`, sha256, bytes: Buffer.byteLength(text), read_credential };
}

/** What the supervisor knows and no command may learn. */
const supervisorSecrets = () => ({
  env: { ASSAY_TEST_KEY: plantSecret('key'), AWS_SECRET_ACCESS_KEY: plantSecret('aws_key') },
  token: plantSecret('token'),
  read_credential: `Basic ${plantSecret('credential')}`,
});

async function runGatesContainer(more: Partial<GatesAssignment>) {
  const task = createTask();
  const { env, token, read_credential } = supervisorSecrets();
  Object.assign(api, { token });
  api.objects.set('/memory/other-task', Buffer.from(plantSecret('memory')));
  const assignment = gatesAssignment(api, task.repository.url, task, {
    token,
    read_credential,
    model_access: { models: {}, token: plantSecret('model_token') },
    signals: [{ type: 'test_passes', command: 'node search.cjs signal', timeout_s: 60 }],
    expected_changes: ['tests_change'],
    ...more,
  });
  const work = createTraversableFolder();
  const container = startBox(
    ['containers/gates/main.ts'],
    api,
    assignment,
    { ...buildContainerEnvironment('gates', work), ...env },
    CONFINE_COMMAND,
  );
  const { code, log } = await container.ended;
  expect({ code, log }).toMatchObject({ code: 0 });
  return { log, evidence: api.bodies('evidence')[0] ?? {}, runs: readReports(reports) };
}

/** Acceptance tests as an examiner answers them. */
const examAnswer = () => ({
  open: [],
  questions: [],
  points: [
    { requirement: 'five doubles', test: 'exam five', on_base: 'fails' },
    { requirement: 'one doubles', test: 'exam one', on_base: 'passes' },
  ],
  files: [
    {
      path: 'test/exam.test.cjs',
      content: `// ${plantSecret('exam')}\n${HEAD}${TEST('exam five', 5)}${TEST('exam one', 1)}`,
    },
  ],
  command: 'node --test test/exam.test.cjs',
  keeps_behaviour: false,
  confidence: 0.9,
});

const isExamRun = ({ files }: SearchReport): boolean => files.some((file) => file.includes('exam.test'));
const isHiddenRun = ({ files }: SearchReport): boolean => files.some((file) => file.includes('hidden'));
const secretsOf = (runs: readonly SearchReport[]) =>
  runs.map(({ label, side, found }) => [label, side, found] as const);

describe.skipIf(!canConfine)(
  'a search for secrets in a gates container with the capabilities of the template',
  () => {
    it.each(['files', 'git'] as const)(
      'finds none in any sandbox (hidden tests of the kind %s)',
      async (kind) => {
        const other: TestRepository = createTestRepository({ 'src/a.txt': plantSecret('other_repository') });
        other.commit({
          'exam/test/hidden.test.cjs': hiddenFile(6),
          'b.txt': plantSecret('other_repository'),
        });
        const tests =
          kind === 'git'
            ? // With a manifest, so that the tree has an environment of its own.
              { kind, repository: other.url, folder: 'exam' }
            : { kind, files: [MANIFEST, { path: 'test/hidden.test.cjs', content: hiddenFile(10) }] };
        const { log, evidence, runs } = await runGatesContainer({
          hidden_tests: placeHiddenTests(tests),
        });

        // Every kind of sandbox was there, on base and patch, and the search works.
        const kinds = new Set(runs.map(({ label, side }) => `${label} ${side}`));
        for (const each of ['lint', 'type_check', 'custom_command', 'module', 'signal', 'tests'])
          expect([...kinds]).toContain(`${each} patch`);
        for (const each of ['type_check', 'setup', 'tests']) expect([...kinds]).toContain(`${each} base`);
        const [hidden, others] = [runs.filter(isHiddenRun), runs.filter((run) => !isHiddenRun(run))];
        expect(hidden.length).toBeGreaterThan(0);
        expect(hidden.every(({ found }) => 'hidden' in found)).toBe(true);
        // The patch, the base and at least one experiment.
        expect(others.filter(({ label }) => label === 'tests').length).toBeGreaterThan(
          kind === 'git' ? 5 : 3,
        );
        for (const run of runs) {
          expect(run.looked).toBeGreaterThan(100);
          expect(run.objects).toBeGreaterThan(10);
          expect(run.wrote.filter((folder) => !/^\/(tmp|var\/tmp|dev\/(shm|mqueue))$/.test(folder))).toEqual(
            [],
          );
        }

        expect(secretsOf(others).filter(([, , found]) => Object.keys(found).length > 0)).toEqual([]);
        expect(hidden.flatMap(({ found }) => Object.keys(found)).filter((each) => each !== 'hidden')).toEqual(
          [],
        );

        const said = JSON.stringify(evidence);
        expect(said).toContain(kind === 'git' ? 'hidden tests: 2 pass' : 'hidden tests: 1 of 2 fail');
        const kept = [...api.objects].filter(
          ([path]) => !path.startsWith('/objects/planted') && path !== '/memory/other-task',
        );
        for (const text of [
          said,
          log,
          ...kept.map(([path, bytes]) => `${path} ${bytes}`),
          ...api.calls.map((call) => JSON.stringify(call)),
        ])
          expect(text).not.toMatch(/planted-[a-z_]+-[0-9a-f]{16}/);
        expect(said).not.toContain('hidden.test');
      },
    );
  },
);

describe.skipIf(!canConfine)(
  'a search for acceptance tests in a gates container with the capabilities of the template',
  () => {
    it('finds them where they run and in no other sandbox', async () => {
      const models = await startModelServer({ answer: examAnswer });
      try {
        const examiner = {
          provider: 'anthropic',
          model: 'claude-sonnet-5-5',
          key: { via: 'environment', variable: 'KEY' },
          url: models.url,
          family: 'openai',
        } as const;
        const { log, evidence, runs } = await runGatesContainer({
          model_access: { models: { examiner }, token: plantSecret('model_token') },
        });
        const [exam, others] = [runs.filter(isExamRun), runs.filter((run) => !isExamRun(run))];
        // On the base, where they are validated before any code of the patch runs, and on the patch.
        expect(new Set(exam.map(({ side }) => side))).toEqual(new Set(['base', 'patch']));
        expect(exam.every(({ found }) => 'exam' in found)).toBe(true);
        expect(exam.flatMap(({ found }) => Object.keys(found)).filter((kind) => kind !== 'exam')).toEqual([]);
        expect(others.length).toBeGreaterThan(5);
        expect(secretsOf(others).filter(([, , found]) => Object.keys(found).length > 0)).toEqual([]);
        const said = JSON.stringify(evidence);
        expect(said).toContain('2 of 2 requirements tested; 2 met');
        // The store of exams holds them for later attempts; only gates containers read it.
        const kept = [...api.objects].filter(([path]) => !path.startsWith('/memory/'));
        for (const text of [said, log, ...kept.map(([path, bytes]) => `${path} ${bytes}`)])
          expect(text).not.toMatch(/planted-[a-z_]+-[0-9a-f]{16}/);
        for (const call of api.calls)
          expect(JSON.stringify(call)).not.toMatch(/planted-[a-z_]+-[0-9a-f]{16}/);
      } finally {
        await models.stop();
      }
    });
  },
);

describe.skipIf(!canConfine)(
  'a search for secrets in an agent container with the capabilities of the template',
  () => {
    it('finds none as the agent, nor in the checks of its work', async () => {
      const task = createTask();
      const { env, token, read_credential } = supervisorSecrets();
      Object.assign(api, { token });
      api.objects.set('/memory/other-task', Buffer.from(plantSecret('memory')));
      const script = 'node search.cjs agent > /dev/null; echo patch > a.txt; echo done';
      const assignment = agentAssignment(api, task.repository.url, ['bash', '-c', script], {
        base_commit: task.base_commit,
        read_credential,
      });
      const container = startBox(
        ['containers/agent/main.ts'],
        api,
        assignment,
        { ...buildContainerEnvironment('agent', createTraversableFolder()), ...env, HOME: '/nonexistent' },
        CONFINE_COMMAND,
      );
      const { code, log } = await container.ended;
      expect({ code, log }).toMatchObject({ code: 0 });
      const runs = readReports(reports);
      expect(runs.map(({ label }) => label).sort()).toEqual(['agent', 'agent_check']);
      for (const { looked, objects } of runs) {
        expect(looked).toBeGreaterThan(100);
        expect(objects).toBeGreaterThan(10);
      }
      // The token of its own attempt is the agent's to use; nothing else is.
      for (const [, , found] of secretsOf(runs)) expect(found).toEqual({});
    });
  },
);
