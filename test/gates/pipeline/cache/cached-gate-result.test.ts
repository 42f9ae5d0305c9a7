import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ExecutionEnvironment } from '../../../../gates/core/execution-environment.ts';
import type { Gate, GateResult } from '../../../../gates/core/gate.ts';
import type { PersistentCache } from '../../../../gates/core/persistent-cache.ts';
import { lintGate } from '../../../../gates/gates/lint.ts';
import type { CachedGateResult } from '../../../../gates/pipeline/cache/cached-gate-result.ts';
import { createFileCache } from '../../../../gates/pipeline/cache/file-cache.ts';
import { loadGateResultCache } from '../../../../gates/pipeline/cache/result-cache.ts';
import type { GatePipelineStep } from '../../../../gates/pipeline/gate-pipeline.ts';
import { createGateJobs, type GateBypass } from '../../../../gates/pipeline/gate-runner.ts';
import { runGateJobs } from '../../../../gates/pipeline/schedule-gate-jobs.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';
import { createPatchFixture, createSubject, type FileEdits } from '../../../support/patch-fixture.ts';
import { createScriptedJudge } from '../../../support/scripted-judge.ts';

const BASE = { 'a.js': '1\n', 'assay.yaml': 'version: 1\n' };
const TASK = { id: 'one', title: 'One', description: '' };

/** Runs one gate, and says whether it was really run. */
async function look(
  memory: PersistentCache,
  more: {
    readonly result?: Partial<GateResult>;
    readonly gate?: Partial<Gate>;
    readonly step?: Partial<GatePipelineStep>;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly base?: Record<string, string>;
    readonly patch?: FileEdits;
    readonly task?: typeof TASK;
    readonly model?: string;
    readonly bypasses?: readonly GateBypass[];
    readonly surroundings?: Partial<ExecutionEnvironment>;
  } = {},
) {
  let ran = false;
  const result: GateResult = {
    outcome: 'passed',
    kind: 'executed',
    findings: [{ file: 'a.js', line: 1, rule: 'r', message: 'm' }],
    detail: 'fine',
    facts: { tool: 'x' },
    ...more.result,
  };
  const gate: Gate = {
    name: 'own',
    configKey: 'own',
    enabledByDefault: true,
    required: true,
    condition: 'always',
    settings: {},
    run: async () => {
      ran = true;
      return result;
    },
    ...more.gate,
  };
  const step: GatePipelineStep = {
    gate,
    required: true,
    condition: 'always',
    command: null,
    explicitlyEnabled: true,
    timeoutMs: 1_000,
    ...more.step,
  };
  const subject = await createSubject(more.base ?? BASE, more.patch ?? { 'a.js': '2\n' });
  const results = await loadGateResultCache(memory, subject);
  const jobs = await createGateJobs([step], {
    subject,
    settings: more.settings ?? {},
    bypasses: more.bypasses ?? [],
    task: more.task ?? TASK,
    judge: createScriptedJudge('', { intent: { provider: 'bedrock', model: more.model ?? 'a' } }),
    resultCache: results,
    executionEnvironment: { build: 'one', node: 'v1', image: null, environment: {}, ...more.surroundings },
  });
  const [evidence] = await runGateJobs(jobs, [], 1);
  await results.save();
  return { ran, evidence };
}
const fresh = () => createFileCache(join(createTemporaryFolder(), 'cache'));

describe('a result', () => {
  test.each(['passed', 'failed', 'skipped'] as const)(
    'that is "%s" is remembered whole, and says so',
    async (outcome) => {
      const cache = fresh();
      const first = await look(cache, { result: { outcome, blocks: true } });
      const second = await look(cache, { result: { outcome, blocks: true } });
      expect([first.ran, second.ran]).toEqual([true, false]);
      expect(first.evidence?.cached).toBe(false);
      expect(second.evidence).toEqual({ ...first.evidence, cached: true });
    },
  );

  test.each(['could_not_run', 'timed_out', 'infra_failed'] as const)(
    'that is "%s" is not remembered',
    async (outcome) => {
      const cache = fresh();
      await look(cache, { result: { outcome } });
      expect((await look(cache, { result: { outcome } })).ran).toBe(true);
    },
  );

  test('that somebody did without is not remembered, and a remembered one does not undo a bypass', async () => {
    const cache = fresh();
    const bypasses = [{ gate: 'own', reason: 'r', actor: 'ada', task: null, until: null }];
    await look(cache, { bypasses });
    expect((await look(cache)).ran).toBe(true);
    expect((await look(cache, { bypasses })).evidence?.outcome).toBe('bypassed');
  });

  test.each<[string, Parameters<typeof look>[1]]>([
    ['another patch', { patch: { 'a.js': '3\n' } }],
    ['another base', { base: { ...BASE, 'other.js': '' } }],
    ['another setting of the gate', { gate: { settings: { own: null as never } }, settings: { own: true } }],
    ['another definition', { gate: { cacheFacts: { command: 'x' } } }],
    ['another command', { step: { command: 'true' } }],
    ['another time limit', { step: { timeoutMs: 2_000 } }],
    ['another condition', { step: { condition: 'any_changed' } }],
    ['another gate', { gate: { name: 'other' } }],
    ['another build of ours', { surroundings: { build: 'two' } }],
    ['another image', { surroundings: { image: 'sha256:1' } }],
    ['another Node', { surroundings: { node: 'v2' } }],
    ['another environment', { surroundings: { environment: { LANG: 'C' } } }],
  ])('is not taken for one of %s', async (_, more) => {
    const cache = fresh();
    await look(cache);
    expect((await look(cache, more)).ran).toBe(true);
  });

  test.each(['ruff', 'go', 'our-lint'])(
    'of several projects is not taken for one of another version of %s',
    async (changed) => {
      const programs = createTemporaryFolder();
      vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
      const install = (name: string, version: string) =>
        writeFileSync(join(programs, name), `#!/bin/sh\n# ${version}\n`, { mode: 0o755 });
      for (const name of ['ruff', 'go', 'our-lint']) install(name, '1');
      const work = {
        gate: { plan: lintGate.plan },
        base: {
          'api/pyproject.toml': '',
          'cli/go.mod': 'module cli\n',
          'web/package.json': '{"scripts": {"lint": "our-lint"}}',
        } as Record<string, string>,
        patch: { 'api/a.py': '1\n', 'cli/a.go': 'package cli\n', 'web/a.js': '1\n' },
      };
      const cache = fresh();
      await look(cache, work);
      expect((await look(cache, work)).ran).toBe(false);
      install(changed, '1.1');
      expect((await look(cache, work)).ran).toBe(true);
    },
  );

  test('is not taken for one of another toolchain behind the same shim', async () => {
    const programs = createTemporaryFolder();
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    const choose = (version: string) => writeFileSync(join(programs, 'chosen'), version);
    writeFileSync(join(programs, 'rustup'), '#!/bin/sh\ncat "$(dirname "$0")/chosen"\n', { mode: 0o755 });
    symlinkSync('rustup', join(programs, 'cargo'));
    choose('1.95.0');
    const cache = fresh();
    const work = { step: { command: 'cargo clippy' } };
    await look(cache, work);
    expect((await look(cache, work)).ran).toBe(false);
    choose('1.96.0');
    expect((await look(cache, work)).ran).toBe(true);
  });

  test('of a model is not taken for one about another task, or by another model', async () => {
    const cache = fresh();
    const gate = { asksModel: true };
    await look(cache, { gate });
    expect((await look(cache, { gate })).ran).toBe(false);
    expect((await look(cache, { gate, task: { ...TASK, title: 'Two' } })).ran).toBe(true);
    expect((await look(cache, { gate, model: 'b' })).ran).toBe(true);
  });

  test('of a check of ours is the same for every task', async () => {
    const cache = fresh();
    await look(cache);
    expect((await look(cache, { task: { ...TASK, id: 'two' } })).ran).toBe(false);
  });

  test('of what moves beside base and tree is remembered until that has moved', async () => {
    const cache = fresh();
    const gate = (at: string) => ({ gate: { readVolatileFacts: async () => ({ at }) } });
    const ran = [];
    for (const at of ['one', 'one', 'two', 'one']) ran.push((await look(cache, gate(at))).ran);
    expect(ran).toEqual([true, false, true, false]);
  });

  test('is not remembered where nobody can say what moves beside it', async () => {
    const cache = fresh();
    const gate = { readVolatileFacts: () => Promise.reject(new Error('no network')) };
    await look(cache, { gate });
    expect((await look(cache, { gate })).ran).toBe(true);
  });

  test.each(['dep_audit', 'benchmark'])(
    'of %s is not remembered: it changes while the tree stays',
    async (name) => {
      const cache = fresh();
      await look(cache, { gate: { name } });
      expect((await look(cache, { gate: { name } })).ran).toBe(true);
    },
  );
});

describe('what is kept of a tree', () => {
  const valid = {
    schema_version: 1,
    key: 'a'.repeat(64),
    outcome: 'passed',
    kind: 'checked',
    findings: [],
    detail: '',
    facts: {},
    blocks: false,
    duration_ms: 1,
  };
  const tree = { base: 'base', patched: 'tree' };
  const holding = (value: unknown): PersistentCache => ({ ...fresh(), get: async () => value });

  test.each<[string, unknown]>([
    ['a result with another outcome', { ...valid, outcome: 'bypassed' }],
    ['a result with more than was asked for', { ...valid, verified: true }],
    ['no result at all', 'passed'],
  ])('is passed over where it is %s', async (_, value) => {
    const results = await loadGateResultCache(holding({ schema_version: 1, results: [value] }), tree);
    expect(results.get(valid.key)).toBeNull();
  });

  test('counts where it is a result of that very key', async () => {
    const results = await loadGateResultCache(holding({ schema_version: 1, results: [3, valid] }), tree);
    expect(results.get(valid.key)).toEqual(valid);
    expect(results.get('b'.repeat(64))).toBeNull();
  });

  test('is read whole or not at all', async () => {
    for (const value of [null, 'x', { schema_version: 2, results: [valid] }, [valid]])
      expect((await loadGateResultCache(holding(value), tree)).get(valid.key)).toBeNull();
  });

  test('grows by what another run has found in the meantime', async () => {
    const memory = fresh();
    const [one, two] = [await loadGateResultCache(memory, tree), await loadGateResultCache(memory, tree)];
    const result = (key: string) => ({ ...valid, key: key.repeat(64) }) as CachedGateResult;
    one.add(result('a'));
    two.add(result('b'));
    await one.save();
    await two.save();
    const both = await loadGateResultCache(memory, tree);
    expect(['a', 'b'].map((key) => both.get(key.repeat(64))?.key[0])).toEqual(['a', 'b']);
  });
});

test('two patches with the same tree on different bases are two', async () => {
  const one = await createPatchFixture({ 'a.js': '1\n' }, { 'a.js': '2\n' });
  const two = await createPatchFixture({ 'a.js': '0\n' }, { 'a.js': '2\n' });
  expect(one.tree).toBe(two.tree);
  const cache = fresh();
  await look(cache, { base: { 'a.js': '1\n' } });
  expect((await look(cache, { base: { 'a.js': '0\n' } })).ran).toBe(true);
});
