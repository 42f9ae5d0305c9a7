import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LearnedAttemptOutcome } from '../../shared/control/cascade/learning/attempt-outcomes.ts';
import type { DeadLetter, RetryQueue } from '../../shared/control/dead-letters/dead-letter.ts';
import type { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { recordDeadLetter, retryDeadLetters } from '../../shared/use-cases/operate/retry-dead-letters.ts';
import { addSeconds } from '../support/builders.ts';
import { assay } from './support.ts';

const cwd = mkdtempSync(join(tmpdir(), 'assay-bad-cascade-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const outcome = (fields: object) =>
  JSON.stringify({ task: 'a', tier: 'haiku', passed: true, cost_usd: 0.1, ...fields });
const chain = (attempt: object) =>
  JSON.stringify({
    chain_id: 'c',
    role: 'backend',
    complexity: 'low',
    timestamp: '2026-01-01T00:00:00.000Z',
    attempts: [
      { tier: 'haiku', model: 'm', passed: true, cost_usd: 0.1, latency_s: 1, tokens_used: 1, ...attempt },
    ],
  });

describe('outcomes that cannot be replayed', () => {
  test.each<[string, string[], RegExp]>([
    ['a cost below 0', [outcome({ cost_usd: -1 })], /f\.jsonl:1\b.*cost_usd: /],
    ['a cost that is a word', [outcome({ cost_usd: 'much' })], /f\.jsonl:1\b.*cost_usd: /],
    ['no end of tokens', [outcome({ tokens: -4 })], /tokens: /],
    [
      'a negative cost in a chain record',
      [chain({ cost_usd: -0.1 })],
      /f\.jsonl:1\b.*attempts\.0\.cost_usd: /,
    ],
    ['a tier that there is not', [outcome({ tier: 'gold' })], /tier: /],
    ['a key that there is not', [outcome({ modle: 'x' })], /modle/],
    ['an empty model', [outcome({ model: '' })], /model: /],
    ['no word whether it passed', ['{"task":"a","tier":"haiku"}'], /passed: /],
    [
      'a task that passed and failed',
      [outcome({}), outcome({ passed: false })],
      /f\.jsonl:2\b.*passed: .*both/,
    ],
    ['a task of two roles', [outcome({}), outcome({ tier: 'opus', role: 'qa' })], /f\.jsonl:2\b.*role: /],
    [
      'a task of two complexities',
      [outcome({}), outcome({ tier: 'opus', complexity: 'low' })],
      /complexity: /,
    ],
    ['a tier with two costs', [outcome({}), outcome({ cost_usd: 0.2 })], /f\.jsonl:2\b.*cost_usd: .*0\.1/],
    ['what is no JSON', [outcome({}), '{'], /f\.jsonl:2/],
  ])('%s: named by line and field, and nothing is written', async (_what, lines, words) => {
    writeFileSync(join(cwd, 'f.jsonl'), lines.join('\n'));
    const ran = await assay(['cascade', 'simulate', 'f.jsonl', '--svg', 'out.svg'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(words);
    expect(readdirSync(cwd)).not.toContain('out.svg');
  });

  test.each<[string, string, RegExp]>([
    ['a missing cost', outcome({ cost_usd: null }), /f\.jsonl:1: cost_usd: is missing/],
    [
      'a model without a price',
      outcome({ cost_usd: null, tokens: 80_000, model: 'gpt-of-ours' }),
      /f\.jsonl:1: model: nobody knows a price of gpt-of-ours/,
    ],
  ])('%s is not known, never 0: it is named, and its task is left out', async (_what, line, words) => {
    writeFileSync(join(cwd, 'f.jsonl'), line);
    const ran = await assay(['cascade', 'simulate', 'f.jsonl', '--policy', 'fixed', '--json'], { cwd });
    expect(ran.stderr).toMatch(words);
    expect(JSON.parse(ran.stdout)).toMatchObject({ tasks: 1, unknown: 1 });
  });
});

test('two attempts on one tier of a chain are no contradiction: the last says how it came out, for what both cost', async () => {
  const record = JSON.parse(chain({ passed: false })) as { attempts: object[] };
  const [first] = record.attempts;
  const again = { ...record, attempts: [first, { ...first, passed: true, cost_usd: 0.2 }] };
  writeFileSync(join(cwd, 'f.jsonl'), JSON.stringify(again));
  const ran = await assay(['cascade', 'simulate', 'f.jsonl', '--policy', 'fixed', '--json'], { cwd });
  const [fixed] = (JSON.parse(ran.stdout) as { comparisons: { cost_usd: { mean: number } }[] }).comparisons;
  expect(fixed?.cost_usd.mean).toBeCloseTo(0.3);
});

test.each([
  ['cost_usd', { cost_usd: -1 }],
  ['seconds', { seconds: -1 }],
  ['model', { model: '' }],
  ['at', { at: 'yesterday' }],
])('an outcome whose %s is impossible is not remembered', (field, fields) => {
  const good = {
    id: 'T1#1',
    model: 'm',
    passed: true,
    cost_usd: 1,
    judging_cost_usd: null,
    seconds: 1,
    at: addSeconds(1).toISOString(),
  };
  const read = LearnedAttemptOutcome.safeParse({ ...good, ...fields });
  expect(read.error?.issues[0]?.path).toEqual([field]);
});

test.each([
  ['tuning_level: L9\n', 'tuning_level'],
  ['tuning_level: L1\ntuning_levl: L2\n', 'tuning_levl'],
  ['budgets:\n  day_eur: 1\n', 'day_eur'],
  ['budgets:\n  day_usd: -1\n', 'day_usd'],
])('a policy file with %j is refused with its key', async (text, key) => {
  writeFileSync(join(cwd, 'policy.yaml'), text);
  writeFileSync(join(cwd, 'f.jsonl'), outcome({}));
  const ran = await assay(['cascade', 'simulate', 'f.jsonl', '--config', 'policy.yaml'], { cwd });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(key);
});

test('a dead letter whose task is gone is abandoned with that reason, and nothing is sent', async () => {
  let lane: RetryQueue = { letters: [] };
  const letters = {
    listDueGroups: async () => ['T42'],
    updateGroup: async (_: string, __: Date, change: (of: RetryQueue) => RetryQueue | null) => {
      lane = change(lane) ?? lane;
      return lane;
    },
  } as unknown as DeadLetterStore;
  const message = { schema_version: 1, kind: 'agent', task_id: 'T42', attempt: 1, run: 1 };
  await recordDeadLetter(
    { queue: 'q', id: 'm', body: JSON.stringify(message), sentAt: addSeconds(0) },
    letters,
    addSeconds(0),
  );
  const sent: unknown[] = [];
  const drained = await retryDeadLetters({
    deadLetters: letters,
    tasks: { get: async () => null },
    sendLaunch: async (each) => void sent.push(each),
    failedBatches: {
      listBatches: async () => [],
      find: async () => null,
      put: async () => {},
      remove: async () => {},
    },
    readerFunctions: { ledger: 'l', conductor: 'c' },
    replayRecords: async () => {},
    sendNotice: async () => {},
    now: () => addSeconds(100),
    hasTimeLeft: () => true,
  });
  expect(drained.abandoned).toEqual(['T42.agent-1-1']);
  const [letter] = lane.letters as [DeadLetter];
  expect(letter.status).toBe('abandoned');
  expect(letter.history.at(-1)?.reason).toBe('there is no task T42 any more');
  expect(sent).toEqual([]);
});
