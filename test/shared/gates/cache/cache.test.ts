import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CachedResult } from '../../../../shared/gates/cache/cache.ts';
import { fileCache } from '../../../../shared/gates/cache/file-cache.ts';
import type { Gate, GateResult } from '../../../../shared/gates/gate.ts';
import type { Step } from '../../../../shared/gates/pipeline.ts';
import { type Bypass, gateJobs } from '../../../../shared/gates/runner.ts';
import { runJobs } from '../../../../shared/gates/schedule.ts';
import { scriptedJudge } from '../../../support/judge.ts';
import { type Edits, makePatch, subjectOf } from '../../../support/patch.ts';
import { temporaryFolder } from '../../../support/repository.ts';

const BASE = { 'a.js': '1\n', 'assay.yaml': 'version: 1\n' };
const TASK = { id: 'one', title: 'One', description: '' };

/** Runs one gate, and says whether it was really run. */
async function look(
  cache: ReturnType<typeof fileCache>,
  more: {
    readonly result?: Partial<GateResult>;
    readonly gate?: Partial<Gate>;
    readonly step?: Partial<Step>;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly base?: Record<string, string>;
    readonly patch?: Edits;
    readonly task?: typeof TASK;
    readonly model?: string;
    readonly bypasses?: readonly Bypass[];
  } = {},
) {
  let ran = false;
  const result: GateResult = {
    outcome: 'passed',
    kind: 'executed_by_us',
    findings: [{ file: 'a.js', line: 1, rule: 'r', message: 'm' }],
    detail: 'fine',
    metadata: { tool: 'x' },
    ...more.result,
  };
  const gate: Gate = {
    name: 'own',
    flag: 'own',
    on: true,
    required: true,
    condition: 'always',
    settings: {},
    run: async () => {
      ran = true;
      return result;
    },
    ...more.gate,
  };
  const step: Step = {
    gate,
    required: true,
    condition: 'always',
    command: null,
    asked: true,
    timeoutMs: 1_000,
    ...more.step,
  };
  const subject = await subjectOf(more.base ?? BASE, more.patch ?? { 'a.js': '2\n' });
  const jobs = await gateJobs([step], {
    subject,
    settings: more.settings ?? {},
    bypasses: more.bypasses ?? [],
    task: more.task ?? TASK,
    judge: { ...scriptedJudge(''), model: more.model ?? 'a' },
    cache,
  });
  const [evidence] = await runJobs(jobs, [], 1);
  return { ran, evidence };
}
const fresh = () => fileCache(join(temporaryFolder(), 'cache'));

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

  test.each(['inert', 'timed_out', 'infra_failed'] as const)(
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
    ['another definition', { gate: { facts: { command: 'x' } } }],
    ['another command', { step: { command: 'true' } }],
    ['another time limit', { step: { timeoutMs: 2_000 } }],
    ['another condition', { step: { condition: 'any_changed' } }],
    ['another gate', { gate: { name: 'other' } }],
  ])('is not taken for one of %s', async (_, more) => {
    const cache = fresh();
    await look(cache);
    expect((await look(cache, more)).ran).toBe(true);
  });

  test('of a model is not taken for one about another task, or by another model', async () => {
    const cache = fresh();
    const gate = { judged: true };
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

  test.each(['dep_audit', 'merge_conflict', 'benchmark'])(
    'of %s is not remembered: it changes while the tree stays',
    async (name) => {
      const cache = fresh();
      await look(cache, { gate: { name } });
      expect((await look(cache, { gate: { name } })).ran).toBe(true);
    },
  );
});

describe('the files of results', () => {
  const KEY = 'a'.repeat(64);
  const entry = (more: Partial<CachedResult> = {}): CachedResult => ({
    schema_version: 1,
    key: KEY,
    outcome: 'passed',
    kind: 'checked_by_us',
    findings: [],
    detail: '',
    metadata: {},
    blocks: false,
    duration_ms: 1,
    ...more,
  });

  test.each([
    ['half a file', '{"schema_version": 1, '],
    ['another outcome', JSON.stringify({ ...entry(), outcome: 'bypassed' })],
    ['the entry of another key', JSON.stringify(entry({ key: 'b'.repeat(64) }))],
    ['more than was asked for', JSON.stringify({ ...entry(), verified: true })],
    ['a file without end', 'x'.repeat(5 * 1_048_576)],
  ])('are passed over when they hold %s', async (_, text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${KEY}.json`), text);
    expect(await fileCache(folder).get(KEY)).toBeNull();
  });

  test('are as many as they may be, the newest ones', async () => {
    const folder = temporaryFolder();
    const cache = fileCache(folder, 3);
    const keys = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(64));
    for (const key of keys) await cache.put(entry({ key }));
    expect(readdirSync(folder)).toHaveLength(3);
    expect(await cache.get(keys[4] ?? '')).toEqual(entry({ key: keys[4] ?? '' }));
  });

  test('that cannot be written are done without', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(fileCache(join(folder, 'file', 'cache')).put(entry())).resolves.toBeUndefined();
    mkdirSync(join(folder, 'cache', `${KEY}.json`), { recursive: true });
    await expect(fileCache(join(folder, 'cache')).put(entry())).resolves.toBeUndefined();
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('');
  });
});

test('two patches with the same tree on different bases are two', async () => {
  const one = await makePatch({ 'a.js': '1\n' }, { 'a.js': '2\n' });
  const two = await makePatch({ 'a.js': '0\n' }, { 'a.js': '2\n' });
  expect(one.tree).toBe(two.tree);
  const cache = fresh();
  await look(cache, { base: { 'a.js': '1\n' } });
  expect((await look(cache, { base: { 'a.js': '0\n' } })).ran).toBe(true);
});
