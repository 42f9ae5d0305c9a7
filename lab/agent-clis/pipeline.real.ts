import { randomBytes } from 'node:crypto';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import { usageCostUsd } from '../../shared/contract/models/model-prices.ts';
import { findFilesContaining, readChildProcessTexts } from '../../test/support/find-leaks.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { Repository } from '../../test/system/support/repository.ts';
import { Stack } from '../../test/system/support/stack.ts';
import { CLI_BIN_FOLDER, INSTALLED_CLIS } from './installed-clis.ts';
import { MODEL_BY_CLI } from './run-cli.ts';

const DOUBLE = 'export const double = (n) => 2 * n;\n';
const KEY = `sk-planted-${randomBytes(16).toString('hex')}`;
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer({
    script: [
      { write: 'src/double.js', text: DOUBLE },
      { run: 'node --test > /dev/null 2>&1 && echo it passes > proof.txt' },
      { say: 'Done: wrote double() and ran its test.' },
    ],
  });
  repository = new Repository({
    'package.json': JSON.stringify({ name: 'doubles', type: 'module' }),
    'test/double.test.js':
      "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { double } from '../src/double.js';\n\ntest('doubles', () => assert.equal(double(2), 4));\n",
    'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
  });
  stack = await Stack.start({
    PATH: `${CLI_BIN_FOLDER}${delimiter}${process.env['PATH'] ?? ''}`,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: models.url,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${models.url}/v1`,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: models.url,
  });
});
afterAll(async () => {
  await stack?.stop();
  await models?.stop();
  repository?.remove();
});

const used = (before: ReturnType<ModelServer['sumTokens']>) => {
  const now = models.sumTokens();
  return {
    input_tokens: now.input - before.input,
    output_tokens: now.output - before.output,
    cache_read_tokens: now.cacheRead - before.cacheRead,
    cache_write_tokens: now.cacheWrite - before.cacheWrite,
  };
};

describe.each(INSTALLED_CLIS)('the real %s, in the whole pipeline', (kind: AgentCliKind) => {
  it('edits a file and runs a command by its own tools; the patch is verified and delivered, and the cost is what the endpoint has counted', async () => {
    models.setScenario('slow');
    const before = models.sumTokens();
    const calls = models.calls.length;
    const { id } = await stack.submit({
      title: 'Write double()',
      repository: repository.url,
      adapter: { kind },
      model: MODEL_BY_CLI[kind],
      completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    });
    await models.waitForCall(calls + 2);
    const processes = readChildProcessTexts(stack.ready.pid);
    const done = await stack.ended(id);
    const usage = used(before);
    expect(done.reasons).toEqual([]);
    expect(done).toMatchObject({ status: 'done', verdict: 'pass', verified: true, branch: `assay/${id}` });
    expect(repository.show(`assay/${id}`, 'src/double.js')).toBe(DOUBLE.trim());
    expect(repository.show(`assay/${id}`, 'proof.txt')).toBe('it passes');
    const cost = usageCostUsd(MODEL_BY_CLI[kind], usage, new Date().toISOString()) ?? 0;
    // The gateway rounds each call up to a millionth of a dollar.
    expect(done.cost_usd).toBeGreaterThanOrEqual(cost);
    expect(done.cost_usd).toBeLessThanOrEqual(cost + 1e-6 * (models.calls.length - calls));
    const [attempt] = await stack.attempts(id);
    expect(attempt).toMatchObject({
      usage,
      cost_usd: done.cost_usd,
      metered_usage: { usage, unsettled_calls: 0 },
    });
    expect(attempt?.report?.failure_code).toBeNull();
    // The key got to the provider, and to nobody else: no process, file, record, transcript, answer or log has it.
    for (const call of models.calls.slice(calls)) expect(JSON.stringify(call.headers)).toContain(KEY);
    expect(processes.some((each) => each.includes(`ASSAY_TASK_ID=${id}`))).toBe(true);
    expect(processes.filter((each) => each.includes(KEY))).toEqual([]);
    expect(attempt?.artifact?.transcript_key).not.toBeNull();
    await stack.control('POST', '/drain');
    expect(findFilesContaining(id, [stack.ready.records_dir])).not.toEqual([]);
    expect(findFilesContaining(KEY, [stack.dataDir, repository.folder])).toEqual([]);
    expect(JSON.stringify([attempt, done]) + stack.log).not.toContain(KEY);
  });
});

it.runIf(INSTALLED_CLIS.includes('claude'))(
  'a provider that has too many requests for now is asked again on the same tier, and nothing climbs',
  async () => {
    models.setScenario('429x3,after=1');
    const { id } = await stack.submit({
      title: 'Write double()',
      repository: repository.url,
      adapter: { kind: 'claude' },
      completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    });
    const done = await stack.ended(id);
    expect(done).toMatchObject({ status: 'done', verdict: 'pass' });
    const attempts = await stack.attempts(id);
    const [first, second] = attempts;
    // It was left alone for a while.
    expect(Date.parse(second?.started_at ?? '') - Date.parse(first?.ended_at ?? '')).toBeGreaterThanOrEqual(
      5_000,
    );
    expect(attempts.map(({ tier, report }) => [tier, report?.failure_code])).toEqual([
      ['haiku', 'rate_limited'],
      ['haiku', null],
    ]);
  },
);

it.runIf(INSTALLED_CLIS.includes('claude'))(
  'a key that the provider does not take ends the task at once',
  async () => {
    models.setScenario('401');
    const { id } = await stack.submit({
      title: 'Write double()',
      repository: repository.url,
      adapter: { kind: 'claude' },
    });
    const failed = await stack.ended(id);
    expect(failed).toMatchObject({ status: 'failed', attempt_count: 1, cost_usd: 0 });
    expect((await stack.attempts(id))[0]?.report?.failure_code).toBe('provider_auth');
  },
);
