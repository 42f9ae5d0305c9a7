import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { isAskedBy } from '../support/asked-prompt.ts';
import { findFilesContaining } from '../support/find-leaks.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

/** In the exam, and in nothing that a writer or a patch can read. */
const MARK = 'exam-mark-8213';
const HEAD =
  "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n";
const EXAM = {
  open: [],
  questions: [],
  points: [
    { requirement: 'sum adds its arguments', test: `${MARK} adds`, on_base: 'fails' },
    { requirement: 'sum of a number and 0 is the number', test: `${MARK} zero`, on_base: 'passes' },
  ],
  files: [
    {
      path: 'test/exam-sum.test.js',
      content: `${HEAD}test('${MARK} adds', () => assert.equal(sum(2, 3), 5));\ntest('${MARK} zero', () => assert.equal(sum(4, 0), 4));\n`,
    },
  ],
  command: 'node --test test/exam-sum.test.js',
  keeps_behaviour: false,
  confidence: 0.9,
};
const DEMANDED = {
  reason: 'the title says so',
  basis: 'task',
  quote: 'Make sum add',
  decision: 'demanded',
  severity: 'blocking',
  confidence: 0.95,
};
/** Passes the visible test and drops the requirement. */
const FIRST_ONLY = 'export const sum = (a, b) => a;\n';

let exam: unknown;
let adjudication: unknown;
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer({
    answer: ({ conversation }) => (isAskedBy('examiner', conversation) ? exam : adjudication),
  });
  repository = new Repository(PROJECT);
  const model = {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    key: { via: 'environment', variable: 'JUDGE_KEY' },
    url: models.url,
    // Another maker than that of the models which write.
    family: 'openai',
  } as const;
  const judges: JudgeModels = { examiner: model, adjudicator: model };
  stack = await Stack.start({
    JUDGE_KEY: 'sk-planted',
    [FUNCTION_ENV_NAMES.judgeKeys]: 'JUDGE_KEY',
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
    ANTHROPIC_API_KEY: '',
  });
});
beforeEach(() => {
  models.setScenario('ok');
  exam = EXAM;
  adjudication = DEMANDED;
});
afterAll(async () => {
  await stack.stop();
  await models.stop();
  repository.remove();
});

const submit = (title: string, code: string, attempts = 1) =>
  stack.submit({
    title,
    repository: repository.url,
    adapter: agent(code),
    ...(attempts === 1 && { model: 'my-model' }),
    budget: { max_attempts: attempts },
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
  });
const entryOf = async (id: string, number = 0) => {
  const attempt = (await stack.attempts(id))[number];
  return attempt?.verification?.gates.find(({ name }) => name === 'acceptance_tests');
};
const asked = (prompt: 'examiner' | 'adjudicator'): number =>
  models.calls.filter(({ raw }) => isAskedBy(prompt, raw.toString('utf8'))).length;

it('lets out work that meets the requirements, as independent evidence', async () => {
  const { id } = await submit('Make sum add', writes('src/sum.js', RIGHT));
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass' });
  expect(await entryOf(id)).toMatchObject({
    outcome: 'passed',
    kind: 'executed',
    detail: expect.stringContaining('2 of 2 requirements tested; 2 met'),
  });
});

it('fails work that drops a requirement, asks once for all attempts, and names the requirement but not the test', async () => {
  const before = asked('examiner');
  const { id } = await submit('Make sum add, please', writes('src/sum.js', FIRST_ONLY), 2);
  expect(await stack.ended(id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  expect(await entryOf(id)).toMatchObject({
    outcome: 'failed',
    detail: expect.stringContaining('not met: sum adds its arguments'),
  });
  expect(asked('examiner')).toBe(before + 1);
  expect(asked('adjudicator')).toBeGreaterThan(0);
  const attempts = await stack.attempts(id);
  expect(attempts.length).toBe(2);
  expect(await entryOf(id, 1)).toMatchObject({ outcome: 'failed' });
  expect(JSON.stringify([await stack.task(id), attempts])).not.toContain(MARK);
  // The store of exams holds it, which only gates containers read.
  const holding = findFilesContaining(MARK, [stack.dataDir]);
  expect(holding).not.toEqual([]);
  expect(holding.filter((path) => !path.includes('memory'))).toEqual([]);
});

it('runs an exam that was submitted with the task, and asks no model for it', async () => {
  const before = [asked('examiner'), asked('adjudicator')];
  const { id } = await stack.submit({
    title: 'Make sum add both',
    repository: repository.url,
    adapter: agent(writes('src/sum.js', FIRST_ONLY)),
    model: 'my-model',
    budget: { max_attempts: 1 },
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    exam: EXAM,
  });
  expect(await stack.ended(id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  expect(await entryOf(id)).toMatchObject({
    outcome: 'failed',
    detail: expect.stringContaining('2 of 2 requirements tested; 1 met; not met: sum adds its arguments'),
  });
  expect([asked('examiner'), asked('adjudicator')]).toEqual(before);
  expect(JSON.stringify([await stack.task(id), await stack.attempts(id)])).not.toContain(MARK);
  const holding = findFilesContaining(MARK, [stack.dataDir]);
  expect(holding.filter((path) => !/memory|hidden/.test(path))).toEqual([]);
});

it('drops a failing test that the task does not demand', async () => {
  adjudication = { ...DEMANDED, decision: 'not_demanded', basis: 'none', quote: '' };
  const { id } = await submit('Make sum return its first argument', writes('src/sum.js', FIRST_ONLY));
  await stack.until(id, 'an end', (task) => task.status === 'done' || task.hold !== null);
  const entry = await entryOf(id);
  expect(entry?.outcome).not.toBe('failed');
  expect(entry?.detail).toContain('not demanded');
});

it('needs review where the examiner gives no exam, and asks nothing where the task is too vague', async () => {
  models.setScenario('401');
  const lost = await submit('Make sum add up', writes('src/sum.js', RIGHT));
  await stack.until(lost.id, 'a hold', (task) => task.hold !== null);
  expect(await entryOf(lost.id)).toMatchObject({ outcome: 'could_not_run', required: true });
  models.setScenario('ok');
  exam = { ...EXAM, points: [], files: [], command: null, questions: ['What is better?'] };
  const vague = await submit('Make it better', writes('src/sum.js', RIGHT));
  await stack.until(vague.id, 'an end', (task) => task.status === 'done' || task.hold !== null);
  expect(await entryOf(vague.id)).toMatchObject({
    outcome: 'skipped',
    detail: expect.stringContaining('too vague to test'),
  });
});
