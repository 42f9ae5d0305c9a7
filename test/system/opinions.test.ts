import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { findFilesContaining } from '../support/find-leaks.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const KEY = `sk-planted-${randomBytes(16).toString('hex')}`;
const ASSAY = `${PROJECT['assay.yaml'] ?? 'version: 1\nquality_gates: {}\n'}`;
let answer: unknown;
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer({ answer: () => answer });
  repository = new Repository({
    ...PROJECT,
    'assay.yaml': `${ASSAY}`.replace(
      /quality_gates:(?: *\{\})?\n/,
      'quality_gates:\n  intent_verification: { enabled: true }\n',
    ),
  });
  const judges: JudgeModels = {
    intent: {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      key: { via: 'environment', variable: 'JUDGE_KEY' },
      url: models.url,
    },
  };
  stack = await Stack.start({
    JUDGE_KEY: KEY,
    [FUNCTION_ENV_NAMES.judgeKeys]: 'JUDGE_KEY',
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
    ANTHROPIC_API_KEY: '',
  });
});
beforeEach(() => models.setScenario('ok'));
afterAll(async () => {
  await stack.stop();
  await models.stop();
  repository.remove();
});

const submit = () =>
  stack.submit({
    title: 'Make sum add',
    repository: repository.url,
    adapter: agent(writes('src/sum.js', RIGHT)),
    model: 'my-model',
    budget: { max_attempts: 1 },
    completion_signals: [{ type: 'file_contains', path: 'src/sum.js', contains: 'a + b' }],
  });
const gateOf = async (id: string) => {
  const [attempt] = await stack.attempts(id);
  return attempt?.verification?.gates.find(({ name }) => name === 'intent_verification');
};

it('a gate in its box asks a model through the gateway: the answer is in the evidence, and no key was near the box', async () => {
  answer = { reason: 'src/sum.js adds', verdict: 'yes' };
  const { id } = await submit();
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
  expect(await gateOf(id)).toMatchObject({ outcome: 'passed', kind: 'judged' });
  const call = models.calls.at(-1);
  expect(call?.headers['x-api-key']).toBe(KEY);
  expect(call?.raw.toString('utf8')).toContain('+export const sum = (a, b) => a + b;');
  expect(findFilesContaining(KEY, [stack.dataDir])).toEqual([]);
});

it('fails work that does not do what the task asks, in its opinion', async () => {
  answer = { reason: 'it only renames', verdict: 'no' };
  const { id } = await submit();
  expect(await stack.ended(id)).toMatchObject({
    status: 'failed',
    reasons: [
      expect.stringContaining('it only renames'),
      expect.stringMatching(/^no test fails on the base/),
    ],
  });
});

it('holds the work where nobody answers', async () => {
  models.setScenario('401');
  const { id } = await submit();
  await stack.until(id, 'a hold', (task) => task.hold !== null);
  expect((await gateOf(id))?.outcome).toBe('could_not_run');
});
