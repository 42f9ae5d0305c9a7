import { delimiter } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { PROJECT, Repository, RIGHT } from '../../test/system/support/repository.ts';
import { Stack } from '../../test/system/support/stack.ts';
import { CLI_BIN_FOLDER, INSTALLED_CLIS } from './installed-clis.ts';
import { MODEL_BY_CLI } from './run-cli.ts';

/** Passes the visible test and drops the requirement. */
const FIRST_ONLY = 'export const sum = (a, b) => a;\n';
const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';
test('two and three', () => assert.equal(sum(2, 3), 5));
test('one and one', () => assert.equal(sum(1, 1), 2));
test('four and nine', () => assert.equal(sum(4, 9), 13));
`;
const answer = (isWrong: boolean): string =>
  JSON.stringify({
    p_wrong: isWrong ? 0.9 : 0.1,
    requirements: [
      { requirement: 'sum adds', state: isWrong ? 'not_met' : 'met', file: 'src/sum.js', line: 1 },
    ],
    counterexamples: isWrong
      ? [
          {
            kind: 'requirement',
            requirement: 'sum adds its arguments',
            file: 'src/sum.js',
            line: 1,
            folder: 'one',
            command: 'node --test test/challenge.test.js',
            test: 'two and three',
            input: 'sum(2, 3)',
            neighbours: ['one and one', 'four and nine'],
            why: 'the second argument is ignored',
          },
        ]
      : [],
  });
const DEMANDED = {
  reason: 'the title says so',
  basis: 'task',
  quote: 'Make sum add',
  decision: 'demanded',
  severity: 'blocking',
  confidence: 0.95,
};
/** Runs the tests in the sandboxes of the challenge, as its prompt says. */
const TRY = `node "$ASSAY_RUN_PROGRAM" patched --with one -- 'node --test test/challenge.test.js' || true`;

const PAIRS = (
  [
    ['claude', 'codex'],
    ['codex', 'claude'],
  ] as const
).filter((pair) => pair.every((kind) => INSTALLED_CLIS.includes(kind)));

describe.each(PAIRS)('the real %s as author and %s as challenger', (author: AgentCliKind, challenger) => {
  let isWrong = true;
  let models: ModelServer;
  let stack: Stack;
  let repository: Repository;
  beforeAll(async () => {
    models = await startModelServer({
      script: (model) =>
        model === MODEL_BY_CLI[author]
          ? [
              { write: 'src/sum.js', text: isWrong ? FIRST_ONLY : RIGHT },
              { say: 'Done: wrote sum() and ran its test.' },
            ]
          : [
              { write: 'one/test/challenge.test.js', text: TESTS },
              { run: TRY },
              { write: 'challenge.json', text: answer(isWrong) },
              { say: 'Done: handed in what was found.' },
            ],
      answer: () => DEMANDED,
    });
    repository = new Repository(PROJECT);
    const key = { via: 'environment', variable: 'CHALLENGER_KEY' } as const;
    const model =
      challenger === 'claude'
        ? ({ provider: 'anthropic', url: models.url, key } as const)
        : ({ provider: 'openai', url: `${models.url}/v1`, key } as const);
    const judges: JudgeModels = {
      adjudicator: { ...model, model: 'adjudicator', price: { input: 1, output: 1 } },
      challenger: {
        ...{ ...model, model: MODEL_BY_CLI[challenger], family: `maker of ${challenger}` },
        ...{ adapter: { kind: challenger }, challenge: { min_usd: 5 } },
      },
    };
    stack = await Stack.start({
      PATH: `${CLI_BIN_FOLDER}${delimiter}${process.env['PATH'] ?? ''}`,
      CHALLENGER_KEY: 'sk-planted',
      [FUNCTION_ENV_NAMES.judgeKeys]: 'CHALLENGER_KEY',
      [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
      ANTHROPIC_API_KEY: 'sk-planted',
      ANTHROPIC_BASE_URL: models.url,
      OPENAI_API_KEY: 'sk-planted',
      OPENAI_BASE_URL: `${models.url}/v1`,
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.stop();
    repository?.remove();
  });

  it.each([
    [true, 'failed', { outcome: 'failed', kind: 'executed', blocked: true }],
    [false, 'done', { outcome: 'skipped', kind: 'judged', blocked: false }],
  ] as const)('where the work is wrong: %s, the task is %s', async (wrong, status, entry) => {
    isWrong = wrong;
    const before = models.calls.length;
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      adapter: { kind: author },
      model: MODEL_BY_CLI[author],
      budget: { max_attempts: 1 },
      completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    });
    const ended = await stack.until(
      id,
      'an end',
      (task) => ['done', 'failed'].includes(task.status) || task.hold !== null,
    );
    const [attempt] = await stack.attempts(id);
    const found = attempt?.verification?.gates.find(({ name }) => name === 'challenge');
    expect(found?.detail).toContain(
      wrong ? '1 of 1 counterexample hold: sum adds its arguments' : 'nothing found',
    );
    expect(ended.reasons.some((reason) => reason.startsWith('gate challenge:'))).toBe(wrong);
    expect(found).toMatchObject(entry);
    expect(ended.status).toBe(status);
    const called = models.calls.slice(before).filter(({ model }) => model === MODEL_BY_CLI[challenger]);
    expect(called.length).toBeGreaterThan(2);
    expect(called.filter((call) => call.status >= 400)).toEqual([]);
    expect(attempt?.challenge?.metered_usage?.cost_usd).toBeGreaterThan(0);
  });
});
