import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CascadeView } from '../../shared/api/cascade-schemas.ts';
import type { AttemptChainRow } from '../../shared/control/ledger/record-rows.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { PROJECT, Repository, RIGHT } from './support/repository.ts';
import { Stack } from './support/stack.ts';

/** Asks the gateway once, as Claude Code does, and ends as it ends when that is refused. */
const CLAUDE = `#!${process.execPath}
const model = process.argv[process.argv.indexOf('--model') + 1];
fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.ANTHROPIC_AUTH_TOKEN, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
  body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Make sum add' }] }),
}).then(({ status }) => status, (error) => String(error?.cause ?? error)).then((status) => {
  const line = { type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: 'API Error: ' + status };
  process.stdout.write(JSON.stringify(line) + '\\n', () => process.exit(1));
});
`;
/** Does it without asking anybody, and says so as Codex does. */
const CODEX = `#!${process.execPath}
require('node:fs').writeFileSync('src/sum.js', ${JSON.stringify(RIGHT)});
const say = (event) => console.log(JSON.stringify(event));
say({ type: 'thread.started', thread_id: 't' });
say({ type: 'item.completed', item: { type: 'agent_message', text: JSON.stringify({ status: 'completed', summary: 'done' }) } });
say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
`;

let models: ModelServer;
let stack: Stack;
let repository: Repository;
const bin = mkdtempSync(join(tmpdir(), 'assay-clis-'));
beforeAll(async () => {
  for (const [name, text] of [
    ['claude', CLAUDE],
    ['codex', CODEX],
  ] as const) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  models = await startModelServer();
  repository = new Repository(PROJECT);
  stack = await Stack.start({
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: models.url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `${models.url}/v1`,
    GEMINI_API_KEY: '',
  });
});
afterAll(async () => {
  await stack?.stop();
  await models?.stop();
  repository?.remove();
  rmSync(bin, { recursive: true, force: true });
});

const ended = async (id: string) => {
  await stack.submit({
    id,
    title: 'Make sum add',
    repository: repository.url,
    complexity: 'low',
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
  });
  const task = await stack.ended(id);
  await stack.control('POST', '/drain');
  return { task, attempts: await stack.attempts(id) };
};

it('a rate limit with its Retry-After, and a spent limit: the same tier by another provider at once, all tasks go by it, and the way back is taken', async () => {
  models.setScenario('429,after=3');
  const limited = await ended('limited');
  expect(limited.task).toMatchObject({ status: 'done', verdict: 'pass' });
  const [first, second] = limited.attempts;
  expect(first).toMatchObject({ tier: 'haiku', report: { failure_code: 'rate_limited' } });
  expect(second).toMatchObject({
    tier: 'haiku',
    adapter: 'codex',
    route: { provider_fallback: { from: 'anthropic', to: 'codex', reason: 'rate_limited' } },
  });
  // As long as the provider asked for, not the minute that is ours.
  const until = Date.parse(second?.route?.provider_fallback?.until ?? '');
  expect(until - Date.parse(first?.report?.at ?? '')).toBeLessThan(10_000);
  await vi.waitFor(
    async () => {
      const { body } = await stack.call<CascadeView>('GET', '/cascade');
      expect(body.cooldowns).toEqual([]);
    },
    { timeout: 20_000, interval: 200 },
  );

  models.setScenario('402');
  const spent = await ended('spent');
  expect(spent.task).toMatchObject({ status: 'done', verdict: 'pass' });
  expect(spent.attempts.map(({ tier, adapter }) => [tier, adapter ?? null])).toEqual([
    ['haiku', null],
    ['haiku', 'codex'],
  ]);
  const chains = await stack.records<AttemptChainRow>('cascade_chains');
  expect(chains.find(({ task_id }) => task_id === 'spent')?.attempts).toMatchObject([
    { fallback_from: null, escalated: false, failure_class: 'provider_spend_limit' },
    { fallback_from: 'anthropic', escalated: false, passed: true },
  ]);
  // Others have met it: nothing is begun with that provider.
  const next = await ended('later');
  expect(next.attempts.map(({ adapter }) => adapter)).toEqual(['codex']);
  const { body } = await stack.call<CascadeView>('GET', '/cascade');
  expect(body.cooldowns).toMatchObject([{ provider: 'anthropic', reason: 'provider_spend_limit' }]);
});
