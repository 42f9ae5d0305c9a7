import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../support/git-repository.ts';
import { startModelServer } from '../support/models/model-server.ts';

/** Runs `assay check` in this process, standing in `cwd`. */
async function check(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const stream = (to: 'out' | 'err') => ({
    write: (text: string) => {
      written[to] += text;
    },
    isTTY: false,
    columns: undefined,
  });
  const code = await runCli(['check', ...args], {
    env,
    cwd,
    stdout: stream('out'),
    stderr: stream('err'),
    readStdin: async () => '',
  });
  return { code, ...written };
}

const file = (name: string, text: string): string => {
  const path = join(createTemporaryFolder(), name);
  writeFileSync(path, text);
  return path;
};

function shop(config = 'lint_command: test ! -e bad.js'): TestRepository {
  const repository = createTestRepository({
    'a.js': '1\n',
    'assay.yaml': `version: 1\nquality_gates:\n  ${config}\n`,
  });
  repository.git('checkout', '--quiet', '-b', 'work');
  return repository;
}

describe('assay check', () => {
  test('exits with 0 and prints a table when all is well', async () => {
    const repository = shop();
    repository.write({ 'new.js': '2\n' });
    const task = file(
      'task.yaml',
      'title: x\ncompletion_signals:\n  - { type: path_exists, path: new.js }\n',
    );
    const { code, out, err } = await check(repository.dir, ['--base', 'main', '--task', task]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^CHECK +OUTCOME +REQUIRED +TIME +DETAIL$/m);
    expect(out).toMatch(/^path_exists: new\.js +passed +yes +.* exists$/m);
    expect(out).toMatch(/^gate lint +passed +yes +.* exit 0$/m);
    expect(out).toMatch(/^verdict pass/m);
    expect(out).not.toContain('\u001b[');
    expect(repository.git('status', '--porcelain')).toBe('?? new.js');
  });

  test('asks the models of a file about the work, with a key from the environment', async () => {
    const models = await startModelServer({
      answer: () => ({ reason: 'it only adds a file', verdict: 'no' }),
    });
    const repository = shop('intent_verification: { enabled: true }');
    repository.write({ 'new.js': '2\n' });
    const judges = file('judges.yaml', 'intent: { provider: anthropic, model: claude-haiku-4-5 }\n');
    const args = ['--base', 'main', '--no-cache'];
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: models.url };
    const asked = await check(repository.dir, [...args, '--models', judges], env);
    await models.stop();
    expect([asked.code, asked.err]).toEqual([1, '']);
    expect(asked.out).toMatch(/^gate intent_verification +failed .* no: it only adds a file$/m);
    expect((await check(repository.dir, [...args, '--models', judges])).err).toContain('ANTHROPIC_API_KEY');
    const without = await check(repository.dir, args);
    expect(without.code).toBe(3);
    expect(without.out).toMatch(/^gate intent_verification +could_not_run /m);
  });

  test('colours its verdict where colours are wanted', async () => {
    const { out } = await check(shop().dir, ['--base', 'main'], { FORCE_COLOR: '1' });
    expect(out).toContain('\u001b[');
  });

  test('exits with 1 and says why when a gate fails', async () => {
    const repository = shop();
    repository.write({ 'bad.js': '', 'biome.json': '{}' });
    const { code, out } = await check(createTemporaryFolder(), ['--repo', repository.dir, '--base', 'main']);
    expect(code).toBe(1);
    expect(out).toMatch(/Reasons:\n {2}- gate lint: exit 1/);
    expect(out).toContain(
      'Changed, and executed by no check:\n  - biome.json (added, lint_config): linter or formatter configuration',
    );
    expect(out).toMatch(/^verdict fail/m);
  });

  test('exits with 3 when the work needs review', async () => {
    const repository = shop('lint_command: no-such-linter');
    repository.write({ 'new.js': '' });
    const { code, out } = await check(repository.dir, ['--base', 'main']);
    expect(code).toBe(3);
    expect(out).toMatch(/^verdict refer/m);
  });

  test('prints the documented JSON and nothing else', async () => {
    const repository = shop('tests: true\n  test_command: test ! -e new.js || exit 2');
    repository.write({ 'new.js': '' });
    const task = file(
      'task.json',
      JSON.stringify({ completion_signals: [{ type: 'test_passes', value: 'test -f new.js' }] }),
    );
    const { code, out, err } = await check(repository.dir, ['--base', 'main', '--task', task, '--json']);
    expect([code, err]).toEqual([1, '']);
    const document = JSON.parse(out);
    expect(document).toMatchObject({
      verdict: 'fail',
      verified: true,
      reasons: ['gate tests: exit 2'],
      reason_codes: [{ code: 'gate_failed', subject: 'tests' }],
      base: repository.git('rev-parse', 'main'),
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
      signals: [
        { type: 'test_passes', subject: 'test_passes: test -f new.js', outcome: 'passed', detail: 'exit 0' },
      ],
      gates: expect.arrayContaining([
        expect.objectContaining({ name: 'lint', outcome: 'skipped', required: true, blocked: false }),
        expect.objectContaining({
          name: 'tests',
          outcome: 'failed',
          required: true,
          blocked: true,
          findings: [],
          detail: 'exit 2',
          cached: false,
          duration_ms: expect.any(Number),
        }),
      ]),
    });
  });

  test('takes a configuration from elsewhere, and the base from base_ref', async () => {
    const repository = shop('base_ref: work');
    repository.commit({ 'bad.js': '' });
    const config = file('gates.yaml', 'quality_gates: { lint_command: "true" }\n');
    const { code, out } = await check(repository.dir, ['--config', config, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ empty_patch: true, base: repository.git('rev-parse', 'work') });
  });

  test('has nothing to check where nothing changed, on master too', async () => {
    const repository = shop();
    repository.git('branch', '-m', 'main', 'master');
    const { code, out, err } = await check(repository.dir, []);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('nothing to check: the working tree is the same as master');
    expect(out).toContain('(unverified)');
  });

  test('is no pass where the only change is a repository of its own', async () => {
    const repository = shop('lint: false');
    repository.write({ 'services/new/conf.py': 'x = 1\n' });
    repository.git('init', '--quiet', 'services/new');
    repository.git('-C', 'services/new', 'add', '--all');
    repository.git('-C', 'services/new', 'commit', '--quiet', '-m', 'inner');
    const { code, out } = await check(repository.dir, ['--base', 'main', '--json']);
    expect(code).toBe(3);
    const report = JSON.parse(out) as { reasons: string[] };
    expect(report).toMatchObject({ verdict: 'refer', verified: false });
    expect(report.reasons[0]).toContain('services/new is a repository of its own');
  });

  test('leaves a gate out where the configuration allows it, and says so', async () => {
    const repository = shop(
      'allow_bypass: true\n  pii_scan: false\n  dlp_scan: false\n  lint_command: "false"',
    );
    repository.write({ 'new.js': '' });
    const args = ['--base', 'main', '--skip-gate', 'lint'];
    expect(await check(repository.dir, args)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--skip-gate-reason'),
    });
    const { code, out } = await check(repository.dir, [...args, '--skip-gate-reason', 'known']);
    expect(code).toBe(0);
    expect(out).toMatch(/gate lint +bypassed .*bypassed by \S+: known/);
    expect(out).toContain('(unverified)');
  });

  test('knows nothing of the tests that call it, or of git hooks that run it', async () => {
    const repository = shop();
    repository.write({ 'new.js': '' });
    process.env['GIT_DIR'] = '/no/such/place';
    try {
      expect((await check(repository.dir, ['--base', 'main'])).code).toBe(0);
    } finally {
      delete process.env['GIT_DIR'];
    }
  });
});

describe('assay check --sarif', () => {
  test('writes findings, where they are, and what could not be looked at', async () => {
    const repository = shop(
      `custom_gates: [{ name: own, format: sarif, command: 'node report.mjs > $REPORT' }, { name: gone, command: no-such-tool }]`,
    );
    const place = (line: number) => ({
      physicalLocation: { artifactLocation: { uri: 'b%20c.js' }, region: { startLine: line } },
    });
    const report = {
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'r', message: { text: 'bad' }, locations: [place(1)] }] }],
    };
    const clean = { version: '2.1.0', runs: [{ results: [] }] };
    repository.commit({
      'report.mjs': `import { existsSync } from 'node:fs';
console.log(existsSync('b c.js') ? ${JSON.stringify(JSON.stringify(report))} : ${JSON.stringify(JSON.stringify(clean))});\n`,
    });
    repository.write({ 'b c.js': 'x\n' });
    const folder = createTemporaryFolder();
    const { code } = await check(repository.dir, ['--base', 'work', '--sarif', join(folder, 'out.sarif')]);
    expect(code).toBe(1);
    const [run] = JSON.parse(readFileSync(join(folder, 'out.sarif'), 'utf8')).runs;
    expect(run.results).toEqual([
      {
        ruleId: 'own/r',
        ruleIndex: 0,
        level: 'error',
        baselineState: 'new',
        message: { text: 'bad' },
        locations: [place(1)],
      },
    ]);
    expect(run.tool.driver).toMatchObject({ name: 'assay', rules: [{ id: 'own/r' }] });
    expect(run.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [
        { message: { text: expect.stringContaining('gate gone: could_not_run') } },
      ],
    });
  });

  test('says so when the file cannot be written', async () => {
    const repository = shop();
    expect(
      await check(repository.dir, ['--base', 'main', '--sarif', '/no/such/folder/out.sarif']),
    ).toMatchObject({ code: 2, err: expect.stringContaining('cannot be written (ENOENT)') });
  });
});

test('assay check --junit writes every test case that the gates ran', async () => {
  const repository = shop('tests: true\n  test_command: node --test');
  repository.commit({ 'one.test.mjs': "import { test } from 'node:test';\ntest('adds <up>', () => {});\n" });
  repository.write({ 'b.js': 'x\n' });
  const file = join(createTemporaryFolder(), 'out.xml');
  const { code } = await check(repository.dir, ['--base', 'HEAD', '--junit', file]);
  expect(code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(
    /<testsuite name="tests" tests="1" failures="0"[\s\S]*<testcase name="test &gt; adds &lt;up&gt;"/,
  );
});

describe('results of assay check', () => {
  const marked = (folder: string): TestRepository =>
    shop(`lint_command: echo x >> ${join(folder, 'runs')}; test ! -e bad.js`);
  const runs = (folder: string): number => readFileSync(join(folder, 'runs'), 'utf8').length / 2;
  const cached = ({ out }: { out: string }): boolean[] =>
    (JSON.parse(out) as { gates: { cached: boolean }[] }).gates.map((gate) => gate.cached);

  test('are remembered in the git folder while base and work are the same', async () => {
    const folder = createTemporaryFolder();
    const repository = marked(folder);
    const args = ['--base', 'main', '--json'];
    repository.write({ 'new.js': '' });
    const first = await check(repository.dir, args);
    const second = await check(repository.dir, args);
    expect([runs(folder), cached(first)[0], cached(second)[0]]).toEqual([1, false, true]);
    expect(repository.git('status', '--porcelain')).toBe('?? new.js');
    repository.write({ 'bad.js': '' });
    expect((await check(repository.dir, args)).code).toBe(1);
    expect((await check(repository.dir, args)).code).toBe(1);
    // Once on the patch, and once on the base, to see whether it fails there too.
    expect(runs(folder)).toBe(3);
    await check(repository.dir, [...args, '--no-cache']);
    expect(runs(folder)).toBe(5);
  });

  test('may lie in another folder, but not among the files that are checked', async () => {
    const folder = createTemporaryFolder();
    const repository = marked(folder);
    repository.write({ 'new.js': '' });
    const args = ['--base', 'main', '--cache-dir'];
    await check(repository.dir, [...args, join(folder, 'cache')]);
    await check(repository.dir, [...args, join(folder, 'cache')]);
    expect(runs(folder)).toBe(1);
    symlinkSync(repository.dir, join(folder, 'link'));
    for (const inside of ['cache', 'a/b/cache', '.', join(folder, 'link/cache')])
      expect(await check(repository.dir, [...args, inside])).toMatchObject({
        code: 2,
        err: expect.stringContaining('is among the files that are checked'),
      });
  });

  test('are not remembered where the configuration says so', async () => {
    const folder = createTemporaryFolder();
    const repository = shop(`cache_enabled: false\n  lint_command: echo x >> ${join(folder, 'runs')}`);
    repository.write({ 'new.js': '' });
    await check(repository.dir, ['--base', 'main']);
    await check(repository.dir, ['--base', 'main']);
    expect(runs(folder)).toBe(2);
  });
});

describe('assay check refuses with exit code 2', () => {
  const repository = shop();
  test.each<[string, string[], string]>([
    ['a base that is not there', ['--base', 'nope'], 'has no branch, tag or commit "nope"'],
    [
      'a folder without a repository',
      ['--repo', createTemporaryFolder(), '--base', 'main'],
      'not a git repository',
    ],
    ['a folder that is not there', ['--repo', '/no/such/folder', '--base', 'main'], '/no/such/folder'],
    ['a task file that is not there', ['--base', 'main', '--task', 'nope.yaml'], 'nope.yaml does not exist'],
    [
      'an unknown field of the task',
      ['--base', 'main', '--task', file('t.yaml', 'title: x\nsignals: []\n')],
      't.yaml:2: signals is not a known key',
    ],
    [
      'a signal path that leaves the checkout',
      [
        '--base',
        'main',
        '--task',
        file('t.yaml', 'completion_signals:\n  - type: path_exists\n    path: ../x\n'),
      ],
      't.yaml:3: completion_signals[0].path must not leave the checkout',
    ],
    [
      'an unknown signal type',
      ['--base', 'main', '--task', file('t.yaml', 'completion_signals:\n  - type: magic\n')],
      'completion_signals[0]',
    ],
    [
      'a bad regular expression',
      [
        '--base',
        'main',
        '--task',
        file('t.yaml', 'completion_signals:\n  - { type: file_contains, path: a, regex: "(a" }\n'),
      ],
      'is not a valid RE2 regular expression',
    ],
    [
      'an unknown key of the configuration',
      ['--base', 'main', '--config', file('c.yaml', 'quality_gates:\n  lnt: true\n')],
      'c.yaml:2: quality_gates.lnt is not a known key',
    ],
    [
      'a configuration that is no YAML',
      ['--base', 'main', '--config', file('c.yaml', 'a: [\n')],
      'is not valid YAML',
    ],
    [
      'an unknown gate to skip',
      ['--base', 'main', '--skip-gate', 'nope', '--skip-gate-reason', 'x'],
      'There is no gate "nope"',
    ],
    ['an unknown option', ['--bas', 'main'], "unknown option '--bas'"],
  ])('%s', async (_, args, message) => {
    const { code, out, err } = await check(repository.dir, args);
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/(\w+\.yaml:\d+): (\S+)\s+/g, '$1: $2 ')).toContain(message);
  });

  test('and with --json says it in JSON on standard error', async () => {
    const { code, out, err } = await check(repository.dir, ['--base', 'nope', '--json']);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'base_ref_missing', exit_code: 2 } });
  });
});
