import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateContext, GateResult } from '../../../../../gates/core/gate.ts';
import type { PersistentCache } from '../../../../../gates/core/persistent-cache.ts';
import { testsGate } from '../../../../../gates/gates/tests.ts';
import { createFileCache } from '../../../../../gates/pipeline/cache/file-cache.ts';
import { createTemporaryFolder } from '../../../../support/git-repository.ts';
import { type FileContents, type FileEdits, runGate } from '../../../../support/patch-fixture.ts';

const BASE: FileContents = {
  'code.js': '1\n',
  'test/now.test.js': "test('shaky', () => {});\n",
  'test/good.test.js': "test('good', () => {});\n",
};

/** A runner that takes the tests that fail in its next run from a plan; when that is at its end, all pass. */
const RUNNER = (folder: string): string => `
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const plan = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'plan.json'))}, 'utf8'));
const failing = plan.shift() ?? [];
writeFileSync(${JSON.stringify(join(folder, 'plan.json'))}, JSON.stringify(plan));
const files = { shaky: 'test/now.test.js', good: 'test/good.test.js', more: 'test/more.test.js' };
const tests = Object.entries(files).filter(([, file]) => existsSync(file));
const results = tests.map(([name, file]) => ({ name, filePath: file, duration: 1, status: failing.includes(name) ? 'failed' : 'passed' }));
writeFileSync(process.env.REPORT, JSON.stringify({ reportFormat: 'CTRF', results: { tests: results } }));
process.exit(results.some(({ status }) => status === 'failed') ? 1 : 0);
`;

interface World {
  readonly history: PersistentCache;
  readonly command: string;
  plan(...runs: readonly (readonly string[])[]): void;
  left(): number;
  run(
    task: string | null,
    edits?: FileEdits,
    more?: Partial<GateContext>,
    base?: FileContents,
  ): Promise<GateResult>;
}

function world(settings: Readonly<Record<string, unknown>> = { flaky_detection: true }): World {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'runner.cjs'), RUNNER(folder));
  const plan = (...runs: readonly (readonly string[])[]): void =>
    writeFileSync(join(folder, 'plan.json'), JSON.stringify(runs));
  plan();
  const history = createFileCache(join(folder, 'memory'));
  const command = `node ${join(folder, 'runner.cjs')}`;
  return {
    history,
    command,
    plan,
    left: () => (JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as unknown[]).length,
    run: (task, edits = { 'code.js': '2\n' }, more = {}, base = BASE) =>
      runGate(testsGate, base, edits, {
        settings: { tests: true, test_command: command, ...settings },
        context: {
          testHistory: history,
          repository: 'https://git.example.org/a',
          task: task === null ? null : { id: task, title: '', description: '' },
          ...more,
        },
      }),
  };
}

const flaky = ({ findings }: GateResult): string[] =>
  findings
    .filter(({ rule }) => rule.startsWith('flaky'))
    .map(({ rule, message }) => `${rule}: ${message.split(';')[0]}`);

const SHAKY = ['shaky'];

/** One run of a task in which the test fails, passes on the base, and passes when it is run again. */
const shake = async (it: World, task: string): Promise<GateResult> => {
  it.plan(SHAKY);
  return it.run(task);
};

/** Quarantines the test: it shook for two tasks, and passed for others. */
const quarantined = async (): Promise<World> => {
  const it = world();
  for (const task of ['p1', 'p2', 'p3']) await it.run(task);
  await shake(it, 'a');
  expect(flaky(await shake(it, 'b')).join()).toContain('flaky_found');
  return it;
};

describe('a test that fails now and then', () => {
  test('fails a patch until it is known, and says that it passed when it was run again', async () => {
    const it = world();
    const result = await shake(it, 'a');
    expect(result).toMatchObject({ outcome: 'failed', findings: [{ rule: 'test_failed' }] });
    expect(result.findings[0]?.message).toContain('passed when it was run again on the same tree');
    expect(it.left()).toBe(0);
  });

  test('does not fail a patch once it is in quarantine, and is reported failing and passing', async () => {
    const it = await quarantined();
    const failing = await shake(it, 'd');
    expect(failing.outcome, failing.detail).toBe('passed');
    expect(flaky(failing)).toEqual([expect.stringMatching(/^flaky_quarantined: shaky/)]);
    const passing = await it.run('e');
    expect(passing.outcome).toBe('passed');
    expect(flaky(passing)).toEqual(['flaky_quarantined: shaky: passed']);
  });

  test('excuses no other failure', async () => {
    const it = await quarantined();
    it.plan(['shaky', 'good'], [], ['shaky', 'good']);
    const result = await it.run('d');
    expect(result).toMatchObject({ outcome: 'failed' });
    expect(result.findings.find(({ rule }) => rule === 'test_failed')?.message).toContain('good');
  });

  test('is not excused where the patch touches its file, or adds it', async () => {
    const it = await quarantined();
    it.plan(SHAKY);
    const touched = await it.run('d', { 'test/now.test.js': "test('shaky', () => { more(); });\n" });
    expect(touched).toMatchObject({ outcome: 'failed' });
    it.plan(SHAKY);
    const { 'test/now.test.js': _, ...without } = BASE;
    const added = await it.run('e', { 'test/now.test.js': "test('shaky', () => {});\n" }, {}, without);
    expect(added.outcome).toBe('failed');
  });

  test('leaves quarantine, which is said once', async () => {
    const it = await quarantined();
    const said: string[] = [];
    for (let at = 0; at < 22; at++) said.push(...flaky(await it.run(`q${at}`)));
    expect(said.filter((each) => each.startsWith('flaky_released'))).toHaveLength(1);
    expect((await shake(it, 'z')).outcome).toBe('failed');
  });
});

describe('a new failure, without a history', () => {
  const outcome = async (settings: Record<string, unknown>, ...runs: readonly string[][]) => {
    const it = world(settings);
    it.plan(...runs);
    const result = await it.run('a', { 'code.js': '2\n' }, { testHistory: null });
    return [result.outcome, result.findings[0]?.rule, it.left()];
  };

  test.each([
    ['fails the patch where the test fails again', [SHAKY, [], SHAKY], 'failed', 'test_failed'],
    [
      'needs review where the test passes again, and always on the base',
      [SHAKY, [], [], []],
      'could_not_run',
      'flaky_test',
    ],
    [
      'is named flaky, and excused, where the base fails now and then too',
      [SHAKY, [], [], SHAKY],
      'passed',
      'flaky_test',
    ],
  ])('%s', async (_, runs, expected, rule) => {
    expect(await outcome({}, ...runs)).toEqual([expected, rule, 0]);
  });

  test('decides at once where detection is off', async () => {
    expect(await outcome({ flaky_detection: false }, SHAKY, [], [])).toEqual(['failed', 'test_failed', 1]);
  });
});

describe('nobody gets a test into quarantine', () => {
  test('by making it fail for one task only', async () => {
    const it = world();
    for (const task of ['p1', 'p2', 'p3']) await it.run(task);
    for (let at = 0; at < 6; at++) expect((await shake(it, 'own')).outcome).toBe('failed');
    expect(flaky(await it.run('own'))).toEqual([]);
  });

  test('by making it fail each time', async () => {
    const it = world();
    for (const task of ['p1', 'p2', 'p3', 'p4', 'p5']) await it.run(task);
    for (const task of ['a', 'b', 'c', 'd']) {
      // On the patch, on the base, and when it is run again.
      it.plan(SHAKY, [], SHAKY);
      expect((await it.run(task)).outcome).toBe('failed');
    }
    expect(flaky(await it.run('e'))).toEqual([]);
  });

  test('by touching the test in the patches that make it fail', async () => {
    const it = world();
    for (const task of ['p1', 'p2', 'p3']) await it.run(task);
    for (const task of ['a', 'b', 'c', 'd']) {
      it.plan(SHAKY);
      await it.run(task, { 'test/now.test.js': `test('shaky', () => { ${task}(); });\n` });
    }
    expect(flaky(await it.run('e'))).toEqual([]);
  });

  test('by what is known of another repository, or of another command', async () => {
    const it = await quarantined();
    it.plan(SHAKY);
    expect((await it.run('d', undefined, { repository: 'https://git.example.org/b' })).outcome).toBe(
      'failed',
    );
    it.plan(SHAKY);
    expect((await it.run('d', undefined, { command: `${it.command} ` })).outcome).toBe('failed');
  });
});

describe('flaky detection', () => {
  test('counts failures on the base', async () => {
    const it = world();
    for (const task of ['p1', 'p2', 'p3']) await it.run(task);
    const bases = ['3\n', '4\n', '5\n'].map((code) => ({ ...BASE, 'code.js': code }));
    const said: string[] = [];
    for (const base of bases) {
      // The patch breaks another test, so the base is asked, where the test shakes.
      it.plan(['good'], SHAKY, ['good']);
      said.push(...flaky(await it.run('x', undefined, {}, base)));
    }
    expect(said.join()).toContain('flaky_found: shaky');
  });

  test('runs nothing again, and keeps nothing, where it is off', async () => {
    const it = world({ flaky_detection: false });
    it.plan(SHAKY, [], SHAKY);
    expect((await it.run('a')).outcome).toBe('failed');
    expect(it.left()).toBe(1);
  });

  test('says so where it has nothing to work on', async () => {
    const it = world();
    const unnamed = await it.run('a', undefined, { command: 'test -e code.js' });
    expect(unnamed.detail).toContain('nobody names the tests');
    const unkept = await it.run('a', undefined, { testHistory: null });
    expect(unkept.detail).toContain('no history');
  });
});
