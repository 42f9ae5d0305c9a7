import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { usageCostUsd } from '../../shared/contract/models/model-prices.ts';
import { findFilesContaining, readChildProcessTexts } from '../support/find-leaks.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { calls } from './support/model-call.ts';
import { agent, PROJECT, Repository, RIGHT, uses, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const KEY = `sk-ant-planted-${randomBytes(16).toString('hex')}`;
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer();
  repository = new Repository(PROJECT);
  stack = await Stack.start({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: models.url, OPENAI_API_KEY: '' });
});
afterAll(async () => {
  await stack.stop();
  await models.stop();
  repository.remove();
});

const task = (code: string, fields: Record<string, unknown> = {}) => ({
  title: 'Make sum add',
  repository: repository.url,
  adapter: agent(code),
  ...fields,
});
const priced = (before: ReturnType<ModelServer['sumTokens']>) => {
  const now = models.sumTokens();
  const usage = {
    input_tokens: now.input - before.input,
    output_tokens: now.output - before.output,
    cache_read_tokens: now.cacheRead - before.cacheRead,
    cache_write_tokens: now.cacheWrite - before.cacheWrite,
  };
  return { usage, cost: usageCostUsd('claude-haiku-4-5', usage, new Date().toISOString()) };
};

it('counts what an agent uses: the cost of the task is what the provider has counted, whatever the agent claims', async () => {
  const before = models.sumTokens();
  const { id } = await stack.submit(
    task(
      `${calls()} if (status !== 200) throw new Error(text); ${writes('src/sum.js', RIGHT)} ${uses(5, 1)}`,
    ),
  );
  const done = await stack.ended(id);
  const { usage, cost } = priced(before);
  expect(done).toMatchObject({ status: 'done', verdict: 'pass', cost_usd: cost });
  expect((await stack.attempts(id))[0]).toMatchObject({
    usage,
    cost_usd: cost,
    reported_usage: { usage: { input_tokens: 5, output_tokens: 1 } },
    metered_usage: {
      usage,
      usage_by_model: { 'claude-haiku-4-5': usage },
      calls: 1,
      unsettled_calls: 0,
      unsettled_usd: 0,
      findings: [{ code: 'usage_differs' }],
    },
  });
  const call = models.calls.at(-1);
  expect(call?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
  expect(call?.headers['authorization']).toBeUndefined();
});

it('gives a role of the repository the model, the effort and the money that its base says, from the first attempt on', async () => {
  const own = new Repository({
    ...PROJECT,
    '.assay/roles/thrifty/system_prompt.md': 'Spend little.\n',
    '.assay/roles/thrifty/config.yaml': 'model: haiku\neffort: low\nlimits:\n  max_cost_usd: 0.000001\n',
  });
  const { id } = await stack.submit(
    task(
      `{ ${calls()} if (status !== 200) throw new Error(text); }
       { ${calls()} if (status !== 402) throw new Error(text); } ${writes('src/sum.js', RIGHT)}`,
      { repository: own.url, role: 'thrifty', complexity: 'high' },
    ),
  );
  expect(await stack.ended(id)).toMatchObject({
    status: 'done',
    verdict: 'pass',
    resolved_role: { source: 'repository', model: 'haiku', effort: 'low', max_cost_usd: 0.000001 },
  });
  expect((await stack.attempts(id))[0]).toMatchObject({
    tier: 'haiku',
    effort: 'low',
    route: {
      rule: 'role',
      reason:
        'complexity high, scope medium: what role thrifty is given by the repository (haiku at low effort)',
    },
  });
  own.remove();
});

it('believes the provider rather than the agent: it is asked again on the same tier, and not before it wants to be', async () => {
  models.setScenario('429,after=600');
  const { id } = await stack.submit(task(`${calls()} if (status === 429) process.exit(1);;`));
  const attempt = await vi.waitFor(
    async () => {
      const [first] = await stack.attempts(id);
      if (!first?.decision) throw new Error('nothing is decided yet');
      return first;
    },
    { timeout: 60_000 },
  );
  models.setScenario('ok');
  expect((await stack.call('POST', `/tasks/${id}/cancel`, {})).status).toBe(200);
  expect(attempt).toMatchObject({
    report: { failure_code: 'agent_failed', retry_after_s: null },
    metered_usage: { provider_error: { code: 'rate_limited', status: 429, calls: 1 } },
    decision: { action: 'retry', reason: 'rate_limited', next_tier: 'haiku' },
  });
  const wait =
    Date.parse(attempt.metered_usage?.provider_error?.retry_at ?? '') - Date.parse(attempt.started_at);
  expect(wait).toBeGreaterThanOrEqual(600_000);
});

it('ends an attempt at its budget, and takes its cost along although the agent says nothing of it', async () => {
  const before = models.sumTokens();
  const { id } = await stack.submit(
    task(
      `let status = 200, text = '', count = 0; while (status === 200 && count < 20) { count++; ${calls().replace('const [status, text] =', '[status, text] =')} } console.log(status, text); process.exit(1);`,
      { budget: { max_attempts: 1, max_cost_usd: 0.003 } },
    ),
  );
  const done = await stack.ended(id);
  const [attempt] = await stack.attempts(id);
  expect(attempt?.report?.output_tail).toContain('402');
  expect(attempt?.report?.output_tail).toContain('the budget of this attempt is spent');
  const { cost } = priced(before);
  expect(done).toMatchObject({ status: 'failed', cost_usd: cost });
  expect(attempt?.metered_usage).toMatchObject({ calls: 2, unsettled_calls: 0 });
});

it.runIf(process.platform === 'linux')(
  'lets the key of a provider get nowhere but to the provider',
  async () => {
    const number = models.calls.length + 1;
    models.setScenario('hold');
    const { id } = await stack.submit(
      task(
        `${calls()} console.log(text, JSON.stringify(process.env)); ${writes('src/sum.js', RIGHT)} ${writes('env.txt', 'x')} fs.writeFileSync('env.txt', JSON.stringify(process.env));`,
      ),
    );
    await models.waitForCall(number);
    const environments = readChildProcessTexts(stack.ready.pid);
    models.release();
    expect(environments.some((each) => each.includes(`ASSAY_TASK_ID=${id}`))).toBe(true);
    expect(environments.filter((each) => each.includes(KEY))).toEqual([]);
    await stack.ended(id);
    expect(models.calls.at(-1)?.headers['x-api-key']).toBe(KEY);
    expect(findFilesContaining(KEY, [stack.dataDir, repository.folder])).toEqual([]);
    expect(findFilesContaining(id, [stack.dataDir, repository.folder]).length).toBeGreaterThan(5);
    expect(stack.log).not.toContain(KEY);
    expect(JSON.stringify([await stack.attempts(id), await stack.ended(id)])).not.toContain(KEY);
  },
);
