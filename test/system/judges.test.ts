import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES, TABLE_ITEM_KEY_PREFIXES } from '../../shared/contract/resource-names.ts';
import type { AttemptRow, JudgementRow } from '../../shared/control/ledger/record-rows.ts';
import {
  BREAKER_OPEN_SECONDS,
  MAX_CONSECUTIVE_REJECTIONS,
} from '../../shared/reviews/judging/circuit-breaker.ts';
import { itemKey } from '../../shared/store/item-table.ts';
import { isAskedBy } from '../support/asked-prompt.ts';
import { findFilesContaining } from '../support/find-leaks.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { requirementsAnswer, TASK_REQUIREMENTS } from '../support/requirements-answers.ts';
import { tableOf } from './support/embedded-table.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const KEY = `sk-planted-${randomBytes(16).toString('hex')}`;
const JUDGES: JudgeModels = {
  judge: {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    key: { via: 'environment', variable: 'JUDGE_KEY' },
  },
};
let opinion: unknown;
let second: unknown;
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer({
    answer: ({ conversation }) =>
      isAskedBy('task_requirements', conversation)
        ? TASK_REQUIREMENTS
        : isAskedBy('requirements_review', conversation)
          ? second
          : opinion,
  });
  repository = new Repository(PROJECT);
  const judge = { ...JUDGES.judge, url: models.url };
  const judges = { judge, requirements_review: { ...judge, url: models.urlForScenario('ok') } };
  stack = await Stack.start({
    JUDGE_KEY: KEY,
    [FUNCTION_ENV_NAMES.judgeKeys]: 'JUDGE_KEY',
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
    ANTHROPIC_API_KEY: '',
  });
});
beforeEach(() => {
  models.setScenario('ok');
  second = requirementsAnswer(true, 0.9);
});
afterAll(async () => {
  await stack.stop();
  await models.stop();
  repository.remove();
});

/** Advice of the verdict, after all that decides. */
const NOT_DEMONSTRATED = expect.stringMatching(/^no test fails on the base/);
const CRITERIA = 'sum adds its arguments, whatever they are';
const submit = (code: string, signal: Record<string, unknown> = {}) =>
  stack.submit({
    title: 'Make sum add',
    repository: repository.url,
    adapter: agent(code),
    model: 'my-model',
    budget: { max_attempts: 1 },
    completion_signals: [{ type: 'llm_judge', criteria: CRITERIA, ...signal }],
  });
const held = (id: string) => stack.until(id, 'a hold', (task) => task.hold !== null);

it('asks a model whether the work does what was asked, and a confident yes lets it out: verified by what ran, not by the opinion', async () => {
  opinion = { reasons: ['src/sum.js adds'], verdict: 'accept', confidence: 0.95 };
  const { id } = await submit(writes('src/sum.js', RIGHT));
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
  const [attempt] = await stack.attempts(id);
  expect(attempt?.verdict).toMatchObject({
    verdict: 'pass',
    verified: true,
    judgements: [
      {
        kind: 'llm_judge',
        subject: `llm_judge: ${CRITERIA}`,
        outcome: 'passed',
        verdict: 'pass',
        confidence: 0.95,
        model: 'claude-sonnet-5-5',
        family: 'anthropic',
        prompt: { id: 'llm_judge', version: 1 },
        calibration: null,
        calls: 1,
        tokens: { input: 1_300, output: 40 },
        cost_usd: expect.closeTo(0.003, 4),
      },
      {
        kind: 'requirements_review',
        outcome: 'passed',
        verdict: 'pass',
        request_reason: expect.stringMatching(/^asked: the task has no hidden test/),
      },
    ],
  });
  expect(attempt).toMatchObject({
    judging_cost_usd: expect.closeTo(0.009, 4),
    inputs: expect.arrayContaining([
      expect.objectContaining({ source: 'judge', kind: 'judged', model: 'claude-sonnet-5-5' }),
      expect.objectContaining({ source: 'gate', kind: 'executed', outcome: 'passed', model: null }),
    ]),
  });
  expect((await stack.task(id)).judging_cost_usd).toBeCloseTo(0.009, 4);
  const rows = await stack.records<JudgementRow>('judgements');
  expect(rows.filter((row) => row.task_id === id)).toMatchObject([
    { attempt: 1, outcome: 'passed', tree: attempt?.artifact?.tree, cost_usd: expect.closeTo(0.003, 4) },
    { kind: 'requirements_review' },
  ]);
  const asked =
    models.calls.map(({ raw }) => raw.toString('utf8')).find((each) => each.includes(CRITERIA)) ?? '';
  expect(asked).toContain('+export const sum = (a, b) => a + b;');
  expect(asked).toContain(CRITERIA);
  expect(findFilesContaining(KEY, [stack.dataDir])).toEqual([]);
});

it('fails work that a model is sure about, and tells the next attempt why', async () => {
  opinion = {
    reasons: ['src/sum.js:1 adds nothing up for negative numbers'],
    verdict: 'retry',
    confidence: 0.9,
  };
  const { id } = await submit(writes('src/sum.js', RIGHT));
  expect(await stack.ended(id)).toMatchObject({
    status: 'failed',
    verdict: 'fail',
    reasons: [expect.stringContaining('adds nothing up for negative numbers'), NOT_DEMONSTRATED],
  });
});

it('asks a person where the model is not sure, whatever it says', async () => {
  opinion = { reasons: ['hard to tell'], verdict: 'accept', confidence: 0.5 };
  const { id } = await submit(writes('src/sum.js', RIGHT));
  expect(await held(id)).toMatchObject({
    hold: { reasons: [expect.stringContaining('hard to tell'), NOT_DEMONSTRATED] },
  });
});

it('asks no model where what ran has failed already', async () => {
  const before = models.calls.length;
  const { id } = await submit(writes('src/sum.js', WRONG));
  expect(await stack.ended(id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  expect(models.calls.length).toBe(before);
  const [attempt] = await stack.attempts(id);
  expect(attempt?.verdict?.judgements).toMatchObject([
    { outcome: 'skipped', calls: 0, cost_usd: null },
    {
      kind: 'requirements_review',
      outcome: 'skipped',
      calls: 0,
      request_reason: expect.stringContaining('failed already'),
    },
  ]);
});

it.each([
  ['401', 'hold', 'referred'],
  ['refuse', 'hold', 'referred'],
  ['401', 'block', 'failed'],
  ['401', 'allow', 'done'],
])(
  'where nobody judges (%s), what the task says of that counts: %s is %s',
  async (scenario, on_error, end) => {
    models.setScenario(scenario);
    const { id } = await submit(writes('src/sum.js', RIGHT), { on_error });
    if (end === 'referred') expect((await held(id)).status).toBe('in_review');
    else expect((await stack.ended(id)).status).toBe(end);
    const [attempt] = await stack.attempts(id);
    expect(attempt?.verdict?.judgements?.[0]).toMatchObject({ outcome: 'could_not_run', kind: 'llm_judge' });
  },
);

it('holds what nobody could judge, lists it, and makes the verdict again on the same evidence when it is asked to', async () => {
  models.setScenario('401');
  const { id } = await submit(writes('src/sum.js', RIGHT));
  const before = await held(id);
  const reviews = await stack.call<{ reviews: { id: string }[] }>('GET', '/reviews');
  expect(reviews.body.reviews.find((each) => each.id === id)).toMatchObject({
    reasons: before.hold?.reasons,
    since: before.hold?.since,
    expires_at: expect.stringMatching(/^20/),
    expiry_outcome: 'fail',
  });
  const [first] = await stack.attempts(id);
  opinion = { reasons: ['src/sum.js adds'], verdict: 'accept', confidence: 0.95 };
  models.setScenario('ok');
  const again = { reason: 'the key is there now' };
  expect((await stack.call('POST', `/tasks/${id}/verify`, again)).status).toBe(200);
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', hold: null });
  const [second] = await stack.attempts(id);
  expect(second?.reverification).toMatchObject({
    count: 1,
    earlier_verdict: 'refer',
    reason: 'the key is there now',
  });
  expect(second?.verification).toEqual(first?.verification);
  const ofEvidence = (attempt: typeof first) => attempt?.inputs.filter(({ source }) => source !== 'judge');
  expect(ofEvidence(second)).toEqual(ofEvidence(first));
  const rows = await stack.records<JudgementRow>('judgements');
  expect(
    rows
      .filter((row) => row.task_id === id)
      .map((row) => row.record_id)
      .toSorted(),
  ).toEqual([`${id}#1#0`, `${id}#1#1`, `${id}#1#again1#0`, `${id}#1#again1#1`]);
  expect((await stack.call('POST', `/tasks/${id}/verify`, again)).status).toBe(409);
});

it('looks once more at what has passed, and has a person asked about a doubt', async () => {
  opinion = { reasons: ['r'], verdict: 'accept', confidence: 0.95 };
  second = requirementsAnswer(false, 0.9, 'knows the numbers of the test');
  const { id } = await submit(writes('src/sum.js', RIGHT));
  expect(await held(id)).toMatchObject({
    status: 'in_review',
    hold: { reasons: [expect.stringContaining('knows the numbers of the test'), NOT_DEMONSTRATED] },
  });
});

const mark = (score: number) => ({ feedback: 'what was done', score, fixes: [] });
const toBeMarked = (
  model: string,
  fields: Record<string, unknown> = {},
  code = writes('src/sum.js', RIGHT),
) =>
  stack.submit({
    title: 'Make sum add',
    repository: repository.url,
    adapter: agent(code),
    model,
    budget: { max_attempts: 1 },
    completion_signals: [{ type: 'quality_gate' }],
    ...fields,
  });
const breakerOf = async (model: string) => {
  await stack.control('POST', '/drain');
  const { body } = await stack.call<{ breakers: { model: string }[] }>('GET', '/status');
  return body.breakers.find((each) => each.model === model);
};

it('rejects work without asking a model where none of the files that the task names was touched, and holds that against no model', async () => {
  opinion = mark(5);
  const before = models.calls.length;
  const { id } = await toBeMarked('idle-model', { files: ['src/sum.js'] }, writes('notes.md', 'done\n'));
  expect(await stack.ended(id)).toMatchObject({
    status: 'failed',
    reasons: expect.arrayContaining([expect.stringContaining('none of the files that the task names')]),
  });
  const [attempt] = await stack.attempts(id);
  expect(attempt?.verdict?.judgements?.[0]).toMatchObject({
    kind: 'quality_gate',
    outcome: 'failed',
    calls: 0,
  });
  expect(models.calls.length).toBe(before);
  expect(await breakerOf('idle-model')).toBeUndefined();
});

it('stops marking what a model writes after five rejections in a row, says so in the status, and begins again after an hour', async () => {
  opinion = mark(2);
  const rejected = await Promise.all(
    Array.from({ length: MAX_CONSECUTIVE_REJECTIONS }, () => toBeMarked('poor-model')),
  );
  for (const { id } of rejected)
    expect(await stack.ended(id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  // The stream counts the rejections, after the tasks have ended.
  await expect
    .poll(() => breakerOf('poor-model'), { timeout: 30_000 })
    .toMatchObject({
      rejections: MAX_CONSECUTIVE_REJECTIONS,
      state: 'open',
      until: expect.stringMatching(/^20/),
    });
  opinion = mark(5);
  const unmarked = await toBeMarked('poor-model');
  await held(unmarked.id);
  const [attempt] = await stack.attempts(unmarked.id);
  expect(attempt?.verdict?.judgements?.[0]).toMatchObject({
    outcome: 'could_not_run',
    calls: 0,
    request_reason: expect.stringContaining('were rejected: until'),
  });

  const table = await tableOf(stack.dataDir);
  await table.db.send(
    new UpdateCommand({
      TableName: table.name,
      Key: itemKey(TABLE_ITEM_KEY_PREFIXES.breaker, 'poor-model'),
      UpdateExpression: 'SET opened_at = :then',
      ExpressionAttributeValues: {
        ':then': new Date(Date.now() - BREAKER_OPEN_SECONDS * 1_000).toISOString(),
      },
    }),
  );
  table.close();
  expect(await breakerOf('poor-model')).toMatchObject({ state: 'half_open', until: null });
  const { id } = await toBeMarked('poor-model');
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass' });
  expect(await breakerOf('poor-model')).toBeUndefined();
});

it('starts the service of a patch and asks it, before any model is asked', async () => {
  // Below the ports that are given out to those who ask for any.
  const port = 20_000 + (process.pid % 10_000);
  const service = (answer: string) =>
    `import { createServer } from 'node:http';\ncreateServer((_, response) => response.end(${JSON.stringify(answer)})).listen(${port}, '127.0.0.1');\n`;
  const served = (answer: string) =>
    stack.submit({
      title: 'Make sum add, and serve it',
      repository: repository.url,
      adapter: agent(`${writes('src/sum.js', RIGHT)} ${writes('service.mjs', service(answer))}`),
      budget: { max_attempts: 1 },
      completion_signals: [
        {
          type: 'api_responds',
          command: 'exec node service.mjs',
          url: `http://127.0.0.1:${port}/sum`,
          contains: 'sum is',
          timeout_s: 5,
        },
      ],
    });
  const { id } = await served('the sum is 4');
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
  expect((await stack.attempts(id))[0]?.verification?.signals).toMatchObject([
    { type: 'api_responds', kind: 'executed', outcome: 'passed' },
  ]);
  const other = await served('nothing');
  expect(await stack.ended(other.id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  expect((await stack.attempts(other.id))[0]?.verdict?.judgements).toMatchObject([
    { kind: 'requirements_review', outcome: 'skipped', calls: 0 },
  ]);
});

describe('an agent that is held back in its box', () => {
  const asksForNotes = {
    'assay.yaml': `${PROJECT['assay.yaml']}verification_gate:\n  required_tests: [test -e notes.md]\n`,
  };
  const gateOf = async (id: string) =>
    (await stack.attempts(id)).map(({ outcome, report }) => ({ outcome, ...report?.verification_gate }));
  const heldBack = (code: string) =>
    stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      base_ref: 'notes',
      adapter: agent(code),
      completion_signals: [],
    });
  beforeAll(() => repository.commit('notes', asksForNotes));

  it('and let go by force is recorded so, and never verified, whatever the gates say', async () => {
    const { id } = await heldBack(writes('src/sum.js', RIGHT));
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verified: false, branch: null });
    expect(await gateOf(id)).toMatchObject([
      {
        outcome: 'unverified',
        state: 'forced',
        nudges: { tests: 2 },
        missing: [expect.stringContaining('notes.md')],
      },
    ]);
    const [row] = (await stack.records<AttemptRow>('cascade_attempts')).filter(
      ({ task_id }) => task_id === id,
    );
    expect(row).toMatchObject({ verification_gate: 'forced', nudges: 2, passed: null });
  });

  it('whose box is killed in mid-nudge begins anew with its nudges, and nothing is lost or counted twice', async () => {
    const fileOf = (name: string): string => join(repository.folder, name);
    const [starts, pid, go] = [fileOf('nudged-starts'), fileOf('nudged-pid'), fileOf('nudged-go')];
    const text = JSON.stringify;
    const { id } = await heldBack(`
      fs.appendFileSync(${text(starts)}, 'x');
      const start = fs.readFileSync(${text(starts)}, 'utf8').length;
      ${writes('src/sum.js', RIGHT)}
      if (start === 2) {
        fs.writeFileSync(${text(pid)}, String(process.ppid));
        while (!fs.existsSync(${text(go)})) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (start === 4) { ${writes('notes.md', 'here\n')} }
    `);
    await expect
      .poll(() => (existsSync(pid) ? readFileSync(pid, 'utf8') : ''), { timeout: 30_000 })
      .toMatch(/^\d+$/);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
    writeFileSync(go, '');
    expect(readFileSync(starts, 'utf8')).toBe('xxxx');
    const gates = await gateOf(id);
    expect(gates.at(-1)).toMatchObject({
      outcome: 'passed',
      state: 'satisfied',
      nudges: { tests: 1 },
      missing: [],
    });
    expect(gates.filter(({ outcome }) => outcome === 'passed')).toHaveLength(1);
  });
});
