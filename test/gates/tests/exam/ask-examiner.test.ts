import { expect, it } from 'vitest';
import { MAX_CACHE_ENTRY_BYTES } from '../../../../gates/core/cache-limits.ts';
import type { PersistentCache } from '../../../../gates/core/persistent-cache.ts';
import {
  createAdjudicator,
  keepCounterexamples,
  obtainExam,
  readEarlierCounterexamples,
} from '../../../../gates/tests/exam/ask-examiner.ts';
import { prepareIndependentTests } from '../../../../gates/tests/exam/independent-tests.ts';
import { createSubject } from '../../../support/patch-fixture.ts';
import { createScriptedJudge } from '../../../support/scripted-judge.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
const DOUBLES = "test('doubles', () => assert.equal(price(7), 14));\n";
const KEEPS = "test('keeps', () => assert.equal(price(0), 0));\n";
const EXAM = {
  open: [],
  questions: [],
  points: [
    { requirement: 'doubles the price', test: 'doubles', on_base: 'fails' },
    { requirement: 'nothing costs nothing', test: 'keeps', on_base: 'passes' },
  ],
  files: [{ path: 'test/exam.test.js', content: HEAD + DOUBLES + KEEPS }],
  command: 'node --test test/exam.test.js',
  keeps_behaviour: false,
  confidence: 0.9,
};
const MODEL = { provider: 'bedrock', model: 'mistral-small' } as const;

/** Asks twice for the exam of a task, and validates it each time. */
async function obtainTwice(answer: object) {
  const subject = await createSubject(
    { 'package.json': '{}', 'price.js': 'exports.price = (n) => n;\n' },
    { 'price.js': 'exports.price = (n) => n * 2;\n' },
  );
  const judge = createScriptedJudge(answer, { examiner: MODEL });
  const entries = new Map<string, unknown>();
  const memory: PersistentCache = {
    get: async ({ hash }) => entries.get(hash) ?? null,
    put: async ({ hash }, value) => void entries.set(hash, JSON.parse(JSON.stringify(value))),
    update: async () => {},
  };
  const reused: unknown[] = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const tests = await obtainExam({
      ...{ store: subject.store, base: subject.base, judge, memory },
      task: { title: 'Double the price', description: '', acceptanceCriteria: [], files: [], writer: null },
      readDiff: async () => '',
    });
    if (!tests?.exam) throw new Error('no exam');
    await prepareIndependentTests(subject, tests, { mode: 'gate', timeout_s: 20 });
    reused.push(tests.facts?.['exam_reused']);
  }
  return { reused, asked: judge.asked.length };
}

it('keeps an exam that the base confirms for later attempts', async () => {
  expect(await obtainTwice(EXAM)).toEqual({ reused: [false, true], asked: 1 });
});

it('keeps the questions of a task that is too vague to test', async () => {
  const vague = { ...EXAM, points: [], files: [], command: null, questions: ['Which price?'] };
  expect(await obtainTwice(vague)).toEqual({ reused: [false, true], asked: 1 });
});

const WRONG_POINT = { requirement: 'doubles the price', test: 'doubles', on_base: 'passes' };
it.each([
  ['no point behaves on the base as it says', { points: [WRONG_POINT], keeps_behaviour: true }],
  ['no valid point fails on the base', { points: [EXAM.points[1]] }],
])('asks again where %s', async (_, wrong) => {
  expect(await obtainTwice({ ...EXAM, ...wrong })).toEqual({ reused: [false, false], asked: 2 });
});

it('counts no counterexample beyond those that are adjudicated', async () => {
  const answer = {
    ...{ reason: 'the task says so', basis: 'task', quote: 'Double the price' },
    ...{ decision: 'demanded', severity: 'blocking', confidence: 0.9 },
  };
  const adjudicate = createAdjudicator({
    judge: createScriptedJudge(answer, { adjudicator: MODEL }),
    task: { title: 'Double the price', description: '', acceptanceCriteria: [], files: [], writer: null },
    readDiff: async () => '',
  });
  const failures = Array.from({ length: 12 }, (_, index) => ({
    ...{ index, requirement: 'doubles the price', test: 'doubles', failure: null, files: [] },
  }));
  const decided = await adjudicate?.('counterexample', failures);
  expect(decided?.get(9)).toEqual({ outcome: 'not_met' });
  expect([decided?.get(10), decided?.get(11)]).toEqual(
    Array(2).fill({ outcome: 'not_run', reason: 'cannot_tell' }),
  );
  expect((await adjudicate?.('point', failures))?.size).toBe(10);
});

it('keeps the newest counterexamples that the memory has room for', async () => {
  let stored: unknown = null;
  const memory: PersistentCache = {
    get: async () => stored,
    put: async () => {},
    update: async (_, change) => {
      const text = JSON.stringify(change(stored));
      if (Buffer.byteLength(text) <= MAX_CACHE_ENTRY_BYTES) stored = JSON.parse(text);
    },
  };
  const context = {
    ...{ base: 'a'.repeat(40), memory },
    task: { title: 'Double the price', description: '', acceptanceCriteria: [], files: [], writer: null },
  };
  const counterexample = (path: string) => ({
    ...EXAM,
    files: [{ path, content: 'x'.repeat(500_000), encoding: 'utf8' as const, executable: false }],
    points: [{ requirement: 'doubles the price', test: 'doubles', on_base: 'fails' as const }],
  });
  const paths = Array.from({ length: 10 }, (_, index) => `test/${index}.js`);
  for (const path of paths) await keepCounterexamples(context, [counterexample(path)]);
  const kept = await readEarlierCounterexamples(context);
  expect(kept.map(({ files }) => files[0]?.path)).toEqual(paths.slice(2));
});
