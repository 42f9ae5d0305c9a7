import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAskedBy } from '../support/asked-prompt.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { requirementsAnswer, TASK_REQUIREMENTS } from '../support/requirements-answers.ts';
import { assay } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-calibrate-'));
let server: ModelServer;
/** Sees what is learnt by heart, and is too sure of what is odd. */
beforeAll(async () => {
  server = await startModelServer({
    answer: ({ conversation }) => {
      if (isAskedBy('task_requirements', conversation)) return TASK_REQUIREMENTS;
      const isDoubt = /\+LEARNT|\+ODD/.test(conversation);
      return requirementsAnswer(!isDoubt, isDoubt ? 0.95 : 0.75);
    },
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
const golden = (...lines: object[]): void =>
  writeFileSync(join(folder, 'golden.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const one = (id: string, truth: string, diff: string): object => ({ id, truth, title: 'Make it add', diff });
const calibrate = (...args: string[]) =>
  assay(['judge', 'calibrate', 'golden.jsonl', '--model', 'anthropic:claude-sonnet-5-5', ...args], {
    cwd: folder,
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
  });

it('measures a model over HTTP: agreement, kappa, confidence, and what an answer costs', async () => {
  golden(
    one('1', 'bad', '+LEARNT'),
    one('2', 'good', '+adds'),
    one('3', 'good', '+ODD'),
    one('4', 'bad', '+LEARNT too'),
  );
  const ran = await calibrate('--json', '--repeats', '2', '--plot', 'plot.svg');
  expect(ran.stderr).toContain('4 cases, each asked 2 times');
  expect(ran.stderr).toContain('8 of 8 answers');
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    id: expect.stringMatching(/^cal-[0-9a-f]{12}$/),
    rubric: 'requirements_review',
    cases: 4,
    answers: 8,
    unanswered: 0,
    agreement: 0.75,
    kappa: { value: 0.5 },
    caught: 1,
    held_wrongly: 0.5,
    variance: { split: 0, word: 0, confidence: 0 },
    tokens: { output: 640 },
    cost_per_case_usd: expect.closeTo(0.012, 3),
    wrong: [{ id: '3', truth: 'good', said: ['bad', 'bad'] }],
  });
  expect(readFileSync(join(folder, 'plot.svg'), 'utf8')).toContain('claude-sonnet-5-5, requirements_review');
  expect(server.calls).toHaveLength(16);
});

it('asks the address of --model-url and refuses the global --url, which would leave the public vendor in use', async () => {
  golden(one('1', 'bad', '+LEARNT'), one('2', 'good', '+adds'));
  const options = { cwd: folder, env: { ANTHROPIC_API_KEY: 'k' } };
  const argv = ['judge', 'calibrate', 'golden.jsonl', '--model', 'anthropic:claude-sonnet-5-5'];
  const before = server.calls.length;
  const own = await assay([...argv, '--repeats', '1', '--model-url', server.url], options);
  expect(own.code).toBe(0);
  expect(server.calls.length).toBeGreaterThan(before);
  const calls = server.calls.length;
  for (const at of [
    [...argv, '--url', server.url],
    ['--url', server.url, ...argv],
  ]) {
    const refused = await assay(at, options);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--model-url');
  }
  expect(server.calls).toHaveLength(calls);
});

it('says why there was no answer, with time and concurrency as the person wants', async () => {
  golden(one('1', 'bad', '+LEARNT'), one('2', 'good', '+adds'));
  server.setScenario('401');
  try {
    const ran = await calibrate('--repeats', '1', '--concurrency', '1', '--timeout', '20');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/no answer {3}2 times: .*invalid x-api-key/);
  } finally {
    server.setScenario('ok');
  }
});

it('prints the same as a page, with what to write into the configuration', async () => {
  golden(one('1', 'bad', '+LEARNT'), one('2', 'good', '+adds'));
  const { stdout } = await calibrate('--repeats', '1');
  expect(stdout).toContain('kappa       1.00');
  expect(stdout).toMatch(/calibrations: \[\{ id: cal-[0-9a-f]{12}, prompt: [0-9a-f]{64} \}\]/);
});

it.each([
  ['a file that is not there', ['judge', 'calibrate', 'none.jsonl', '--model', 'anthropic:m'], 'none.jsonl'],
  [
    'a line that is wrong, by line and field',
    ['judge', 'calibrate', 'wrong.jsonl', '--model', 'anthropic:m'],
    'wrong.jsonl:2',
  ],
  [
    'a model without its provider',
    ['judge', 'calibrate', 'good.jsonl', '--model', 'sonnet'],
    'PROVIDER:MODEL',
  ],
  ['a provider that there is not', ['judge', 'calibrate', 'good.jsonl', '--model', 'nobody:m'], 'provider'],
  [
    'a key that is not there',
    ['judge', 'calibrate', 'good.jsonl', '--model', 'openai:gpt-5.5'],
    'OPENAI_API_KEY is not set',
  ],
  [
    'a price that is none',
    ['judge', 'calibrate', 'good.jsonl', '--model', 'anthropic:m', '--price', '3'],
    'INPUT,OUTPUT',
  ],
  ['no model', ['judge', 'calibrate', 'good.jsonl'], '--model'],
])('refuses %s, and asks nobody', async (_name, args, message) => {
  const lines = [one('1', 'bad', '+LEARNT'), one('2', 'good', '+adds')].map((line) => JSON.stringify(line));
  writeFileSync(join(folder, 'good.jsonl'), lines.join('\n'));
  writeFileSync(
    join(folder, 'wrong.jsonl'),
    `${lines[0]}\n${JSON.stringify({ ...one('3', 'good', 'd'), truth: 'yes' })}`,
  );
  const before = server.calls.length;
  const ran = await assay(args, { cwd: folder, env: { ANTHROPIC_API_KEY: 'k' } });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(message);
  expect(server.calls.length).toBe(before);
});
