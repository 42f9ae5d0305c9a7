import { createHash, randomUUID } from 'node:crypto';
import { chownSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, SandboxFactory } from '../../gates/core/sandbox-factory.ts';
import { LAUNCH_KINDS, type LaunchKind } from '../../shared/contract/launch-kind.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { PLAN_FILE } from '../../shared/contract/plan/schema.ts';
import { HiddenTests, serializeHiddenTests } from '../../shared/contract/submission/hidden-tests.ts';
import { applyPatch } from '../../workspace/git/checkout-tree.ts';
import { editTree, writeBlob } from '../../workspace/git/edit-tree.ts';
import { fetchCommit } from '../../workspace/git/fetch-commits.ts';
import {
  buildContainerEnvironment,
  CONFINE_COMMAND,
  canConfine,
  createTraversableFolder,
  getContainerUsers,
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
import { agentAssignment, challengerAssignment, gatesAssignment, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

warnAboutSkippedTests(16);
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

const PATCH_FILES = {
  'a.txt': 'patch\n',
  'price.cjs': PATCH_CODE,
  'test/price.test.cjs': `${HEAD}${TEST('one', 1)}${TEST('two', 2)}`,
  'test/new.test.cjs': `${HEAD}${TEST('three', 3)}`,
};

/** A repository whose history, other branches and newer commits hold secrets, and whose base and patch hold none. */
function createTask(patchFiles: Readonly<Record<string, string>> = PATCH_FILES) {
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
  repository.commit(patchFiles);
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

async function runGatesContainer(more: Partial<GatesAssignment>, task = createTask()) {
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
  // Signed URLs cannot be guessed, as the path of the fake API can.
  api.objects.delete('/patch');
  const patchPath = `/signed/${randomUUID()}`;
  api.objects.set(patchPath, task.patch);
  const work = createTraversableFolder();
  const container = startBox(
    ['containers/gates/main.ts'],
    api,
    { ...assignment, patch_url: `${api.url}${patchPath}` },
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

/** Fails on the patch, and so do its neighbours. The mark is in the task's text, so that no command line has it. */
const counterexampleFile = (mark: string): string =>
  `// ${mark}\n${HEAD}${TEST('ten', 10)}${TEST('eleven', 11)}${TEST('twelve', 12)}`;
const COUNTEREXAMPLE_FILE = 'test/challenge.test.cjs';
const CHALLENGE = {
  p_wrong: 0.9,
  counterexamples: [
    {
      kind: 'requirement',
      requirement: 'doubles',
      file: 'price.cjs',
      line: 1,
      folder: 'one',
      command: `node --test ${COUNTEREXAMPLE_FILE}`,
      test: 'ten',
      input: 'price(10)',
      neighbours: ['eleven', 'twelve'],
      why: 'large prices are zero',
    },
  ],
};

/**
 * A challenger that writes its counterexample, has code of both trees run beside it, and searches itself.
 * @param source file with the text of its counterexample; readable to the CLI alone.
 */
const challengerProgram = (source: string): string => `
mkdir -p one/test && cat ${source} > one/${COUNTEREXAMPLE_FILE}
run() { node "$ASSAY_RUN_PROGRAM" "$@" > /dev/null; }
run patched -- node search.cjs challenged_code
run base -- node search.cjs challenged_code
run patched --with one -- node search.cjs counterexample_code
node "$ASSAY_PATCHED_FOLDER/search.cjs" challenger_cli > /dev/null
echo '${JSON.stringify(CHALLENGE)}' > challenge.json
`;

async function runChallengerContainer(task: ReturnType<typeof createTask>) {
  const { env, token, read_credential } = supervisorSecrets();
  Object.assign(api, { token });
  const cliUser = getContainerUsers('gates')[0];
  const source = join(createTraversableFolder(), 'counterexample');
  writeFileSync(source, counterexampleFile(plantSecret('counterexample')), { mode: 0o400 });
  if (cliUser) chownSync(source, cliUser.uid, cliUser.gid);
  const gatewayToken = plantSecret('own_gateway_token');
  const assignment = challengerAssignment(api, task.repository.url, task, {
    token,
    read_credential,
    requirements: [{ requirement: plantSecret('requirement'), outcome: 'met' }],
    checks: [{ name: 'tests', outcome: 'passed', detail: plantSecret('check') }],
    adapter: {
      kind: 'command',
      // Real CLIs have the prompt among their arguments, too.
      argv: ['bash', '-c', challengerProgram(source), 'challenger', '{prompt}'],
      timeout_s: 300,
    },
    model_access: {
      token: gatewayToken,
      base_urls: { anthropic: api.url, openai: api.url, gemini: api.url },
      models: [],
      metered: true,
    },
  });
  const container = startBox(
    ['containers/gates/main.ts'],
    api,
    assignment,
    {
      ...buildContainerEnvironment('gates', createTraversableFolder()),
      ...env,
      ASSAY_PUSH_CREDENTIAL: plantSecret('push_token'),
      ASSAY_OTHER_GATEWAY_TOKEN: plantSecret('other_gateway_token'),
    },
    CONFINE_COMMAND,
  );
  const { code, log } = await container.ended;
  expect({ code, log }).toMatchObject({ code: 0 });
  return { log, entry: api.bodies('challenge')[0] ?? {}, runs: readReports(reports) };
}

const isCounterexampleRun = ({ files }: SearchReport): boolean =>
  files.some((file) => file.includes('challenge.test'));
const PLANTED = /planted-[a-z_]+-[0-9a-f]{16}/;
const SHARED_FOLDERS = /^\/(tmp|var\/tmp|dev\/(shm|mqueue))$/;
/** Searches that have run, by the kind of launch. */
const searched = new Map<LaunchKind, Set<string>>();
function recordSearches(kind: LaunchKind, runs: readonly SearchReport[]): void {
  const known = searched.get(kind) ?? new Set();
  for (const { label, side } of runs) known.add(`${label} ${side}`);
  searched.set(kind, known);
}
/** Methods of the factory that make sandboxes; `withPrivateTree` returns what its callback returns. */
type SandboxMethod = Exclude<
  {
    [Name in keyof SandboxFactory]: SandboxFactory[Name] extends (...args: never[]) => Promise<Sandbox>
      ? Name
      : never;
  }[keyof SandboxFactory],
  'withPrivateTree'
>;
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

        recordSearches('gates', runs);
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
      recordSearches('agent', runs);
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

describe.skipIf(!canConfine)(
  'a search for secrets in a challenger container with the capabilities of the template',
  () => {
    it('finds in each sandbox what its command was given, and nothing else; so do later gates', async () => {
      createTestRepository({ 'src/a.txt': plantSecret('other_repository') });
      const task = createTask();
      api.objects.set('/memory/other-task', Buffer.from(plantSecret('memory')));
      api.objects.set('/memory/exams-other', Buffer.from(plantSecret('exam')));
      const { log, entry, runs } = await runChallengerContainer(task);
      expect(JSON.stringify(entry)).toContain('"outcome":"failed"');
      expect(`${log}${JSON.stringify(entry)}`).not.toMatch(PLANTED);
      recordSearches('challenger', runs);
      const given = (run: SearchReport): string[] =>
        run.label === 'challenger_cli'
          ? ['check', 'counterexample', 'own_gateway_token', 'requirement', 'runner_address']
          : isCounterexampleRun(run)
            ? ['counterexample']
            : [];
      for (const run of runs) {
        expect([run.label, run.side, run.found, Object.keys(run.found).sort()]).toEqual([
          run.label,
          run.side,
          run.found,
          given(run),
        ]);
        expect(run.looked).toBeGreaterThan(100);
        expect(run.wrote.filter((folder) => !SHARED_FOLDERS.test(folder))).toEqual([]);
      }

      // The next attempt has to pass the counterexample, beside acceptance tests and hidden tests.
      for (const name of readdirSync(reports)) rmSync(join(reports, name));
      const models = await startModelServer({ answer: examAnswer });
      try {
        const examiner = {
          provider: 'anthropic',
          model: 'claude-sonnet-5-5',
          key: { via: 'environment', variable: 'KEY' },
          url: models.url,
          family: 'openai',
        } as const;
        const later = await runGatesContainer(
          {
            model_access: { models: { examiner }, token: plantSecret('model_token') },
            hidden_tests: placeHiddenTests({
              kind: 'files',
              files: [MANIFEST, { path: 'test/hidden.test.cjs', content: hiddenFile(10) }],
            }),
          },
          task,
        );
        recordSearches('gates', later.runs);
        const counterexample = later.runs.filter(isCounterexampleRun);
        expect(new Set(counterexample.map(({ side }) => side))).toEqual(new Set(['base', 'patch']));
        for (const run of later.runs) {
          const expected = isCounterexampleRun(run)
            ? ['counterexample']
            : isExamRun(run)
              ? ['exam']
              : isHiddenRun(run)
                ? ['hidden']
                : [];
          expect([run.label, run.side, run.found, Object.keys(run.found)]).toEqual([
            run.label,
            run.side,
            run.found,
            expected,
          ]);
        }
        expect(JSON.stringify(later.evidence)).toContain('"name":"counterexamples"');
        expect(`${later.log}${JSON.stringify(later.evidence)}`).not.toMatch(PLANTED);
      } finally {
        await models.stop();
      }
    }, 240_000);
  },
);

describe.skipIf(!canConfine)('a search for secrets while a plan is checked', () => {
  it('finds none in the signals of the plan', async () => {
    const plan = {
      tasks: [
        {
          key: 'one',
          title: 'One',
          completion_signals: [{ type: 'test_passes', command: 'node search.cjs plan_signal; false' }],
        },
      ],
    };
    createTestRepository({ 'src/a.txt': plantSecret('other_repository') });
    const { runs, evidence, log } = await runGatesContainer(
      {
        plan: { max_tasks: 5 },
        signals: [],
        hidden_tests: placeHiddenTests({
          kind: 'files',
          files: [{ path: 'test/hidden.test.cjs', content: hiddenFile(10) }],
        }),
      },
      createTask({ [PLAN_FILE]: `${JSON.stringify(plan)}\n# ${plantSecret('plan')}\n` }),
    );
    recordSearches('gates', runs);
    expect(secretsOf(runs)).toEqual([['plan_signal', 'base', {}]]);
    expect(JSON.stringify(evidence)).toContain('"name":"plan","outcome":"passed"');
    expect(`${log}${JSON.stringify(evidence)}`).not.toMatch(PLANTED);
  });
});

/** Commands of sandboxes by the method that makes them; each is searched with a secret in the store and one in a private tree. */
const SANDBOXES: Readonly<
  Record<SandboxMethod, (sandboxes: SandboxFactory, tree: string) => Promise<Sandbox>>
> = {
  createSandbox: (sandboxes, tree) => sandboxes.createSandbox(tree),
  createSandboxWithBase: (sandboxes, tree) => sandboxes.createSandboxWithBase(tree),
  createMutationSandbox: (sandboxes, tree) => sandboxes.createMutationSandbox(tree),
  createBareSandbox: (sandboxes, tree) => sandboxes.createBareSandbox(tree),
  createToolQuerySandbox: (sandboxes, tree) => sandboxes.createToolQuerySandbox(tree),
  createMinimalToolQuerySandbox: (sandboxes, tree) =>
    sandboxes.createMinimalToolQuerySandbox(tree, /search\.cjs/),
};

describe.skipIf(!canConfine)('a search for secrets in a sandbox', () => {
  it.each(Object.entries(SANDBOXES))('of %s finds none', async (name, create) => {
    const task = createTask();
    const workDir = createTraversableFolder();
    const { store } = await fetchCommit(join(workDir, 'store.git'), {
      url: task.repository.url,
      ref: task.base_commit,
      authorization: null,
      allowFile: true,
    });
    const tree = await applyPatch(store, task.base_commit, task.patch, join(workDir, 'patch.index'));
    writeBlob(store, Buffer.from(plantSecret('object')));
    const sandboxes = new SandboxFactory({
      store,
      base: task.base_commit,
      tree,
      workDir,
      users: getContainerUsers('gates').slice(0, 2),
    });
    const { exitCode, output } = await sandboxes.withPrivateTree(
      (own) =>
        editTree(own, tree, [
          {
            path: 'test/hidden.test.cjs',
            entry: { id: writeBlob(own, Buffer.from(plantSecret('hidden'))), mode: '100644' },
          },
        ]),
      async (hidden) => {
        await sandboxes.createSandbox(hidden);
        return (await create(sandboxes, tree)).run({ line: 'node search.cjs sandbox' }, 60_000);
      },
    );
    expect([name, exitCode, output]).toEqual([name, 0, '']);
    expect(secretsOf(readReports(reports))).toEqual([['sandbox', 'patch', {}]]);
  });
});

/** Searches that each kind of launch has to have had: label of the command, and the tree where it has one. */
const SEARCHES: Readonly<Record<LaunchKind, readonly string[]>> = {
  agent: ['agent', 'agent_check'],
  gates: [
    ...['lint patch', 'type_check patch', 'custom_command patch', 'module patch', 'signal patch'],
    ...['tests patch', 'tests base', 'setup base', 'plan_signal base'],
  ],
  challenger: [
    ...['challenger_cli', 'challenged_code base', 'challenged_code patch', 'counterexample_code patch'],
    ...['tests base', 'tests patch', 'setup base'],
  ],
  // Runs no code of a repository or an agent.
  deliver: [],
};

/** Modules that start commands, with the launches whose searches show what these commands reach. */
const STARTING_MODULES: Readonly<Record<string, readonly LaunchKind[]>> = {
  'containers/agent/agent-session.ts': ['agent'],
  'containers/agent/enforce-verification-gate.ts': ['agent'],
  'containers/agent/session-record.ts': ['agent'],
  'containers/gates/plan-evidence.ts': ['gates'],
  'containers/gates/run-challenger.ts': ['challenger'],
  'containers/gates/run-gates.ts': ['gates'],
  'gates/core/sandbox-factory.ts': ['gates', 'challenger'],
  'gates/pipeline/challenge-tree.ts': ['challenger'],
  'gates/pipeline/gather-evidence.ts': ['gates'],
};

describe('the list of searches', () => {
  it.skipIf(!canConfine).each(LAUNCH_KINDS)('has each search of the launch %s', (kind) => {
    for (const search of SEARCHES[kind])
      expect(
        [...(searched.get(kind) ?? [])].some((each) => each === search || each.startsWith(`${search} `)),
        search,
      ).toBe(true);
  });

  it('names each module that starts commands', () => {
    const starting = globSync('{containers,gates,workspace}/**/*.ts')
      .filter((file) => file !== 'workspace/process/run-process.ts')
      .filter((file) =>
        /(?<!function )\b(runProcess|gatherEvidence|challengeTree)\(|new SandboxFactory\(/.test(
          readFileSync(file, 'utf8'),
        ),
      );
    expect(starting.sort()).toEqual(Object.keys(STARTING_MODULES));
  });
});
