import { describe, expect, it } from 'vitest';
import { computeTestId } from '../../../../gates/core/test-result.ts';
import type { IndependentTests } from '../../../../gates/tests/exam/independent-tests.ts';
import { decideCounterexample } from '../../../../gates/tests/exam/run-exam.ts';
import { decidePointOnBase } from '../../../../gates/tests/exam/validate-on-base.ts';
import { Counterexample, Exam, type ExamMode } from '../../../../shared/contract/exam.ts';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';
import { evidence } from '../../../support/builders.ts';
import { gatherEvidenceOn } from '../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../support/git-repository.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
const BASE = {
  'assay.yaml':
    'version: 1\nacceptance_tests:\n  timeout_s: 20\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
  'package.json': '{"name":"price","private":true}\n',
  'price.js': 'exports.price = (n) => n;\n',
  'test/price.test.js': `${HEAD}test('one', () => assert.equal(price(0), 0));\n`,
};
/** Text that must not be in anything that leaves the run. */
const PLANTED = 'planted-4711';
const DOUBLED = 'doubles the price';
const KEPT = 'nothing costs nothing';

const point = (requirement: string, test: string, on_base: 'fails' | 'passes') => ({
  requirement,
  test,
  on_base,
});
const examOf = (source: string, points: object[], more: object = {}): Exam =>
  Exam.parse({
    command: 'node --test test/exam.test.js',
    files: [{ path: 'test/exam.test.js', content: `${HEAD}// ${PLANTED}\n${source}` }],
    points,
    confidence: 0.9,
    ...more,
  });
const DOUBLES = `test('${PLANTED} doubles', () => assert.equal(price(7), 14, '${PLANTED}'));\n`;
const KEEPS = `test('${PLANTED} keeps', () => assert.equal(price(0), 0));\n`;
const POINTS = [point(DOUBLED, `${PLANTED} doubles`, 'fails'), point(KEPT, `${PLANTED} keeps`, 'passes')];
const GOOD_EXAM = examOf(DOUBLES + KEEPS, POINTS);

const RIGHT = 'exports.price = (n) => n * 2;\n';
const HARD_CODED = 'exports.price = (n) => (n === 2 ? 4 : n);\n';

async function judge(
  source: string,
  tests: Partial<IndependentTests> & { readonly mode?: ExamMode },
  base: Record<string, string> = BASE,
) {
  const repository = createTestRepository(base);
  repository.write({
    'price.js': source,
    'test/price.test.js': `${HEAD}test('two', () => assert.equal(price(2), 4));\n`,
  });
  const outputs: unknown[] = [];
  const gathered = await gatherEvidenceOn(repository, [], {
    task: { id: 't', title: '', description: '', expectedChanges: ['tests_change', 'expectations_change'] },
    independentTests: { exam: null, counterexamples: [], ...tests },
    onTests: (gate, all) => outputs.push(gate, all.map(computeTestId)),
    onProgress: (text) => outputs.push(text),
  });
  const verdict = deriveVerdictFromEvidence(gathered);
  const text = JSON.stringify([gathered, verdict, outputs]);
  const [first] = gathered.gates;
  return {
    verdict: verdict.verdict,
    isVerified: verdict.verified,
    entry: first,
    text,
    states: first?.independent?.points.map((each) => each.result),
  };
}

describe('acceptance tests', () => {
  it('fail a patch that drops a requirement, and name the requirement first and nothing of the test', async () => {
    const { verdict, entry, text } = await judge(HARD_CODED, { exam: GOOD_EXAM });
    expect(verdict).toBe('fail');
    expect(entry).toMatchObject({
      name: 'acceptance_tests',
      outcome: 'failed',
      kind: 'executed',
      detail: `2 of 2 requirements tested; 1 met; not met: ${DOUBLED}`,
      findings: [{ file: null, line: null, rule: 'requirement_not_met', message: DOUBLED }],
    });
    expect(text).not.toContain(PLANTED);
    expect(text).not.toContain('exam.test.js');
  });

  it('that name a test which their file does not have are dropped, also where another test of the file fails', async () => {
    const exam = examOf(DOUBLES + KEEPS, [
      point(DOUBLED, `${PLANTED} doubles the pirce`, 'fails'),
      point(KEPT, `${PLANTED} keeps all`, 'passes'),
    ]);
    const { states, verdict } = await judge(RIGHT, { exam });
    expect(states).toEqual([
      { outcome: 'dropped', reason: 'not_found_on_base' },
      { outcome: 'dropped', reason: 'not_found_on_base' },
    ]);
    expect(verdict).toBe('refer');
  });

  it('pass the work that was asked for', async () => {
    const { verdict, entry } = await judge(RIGHT, { exam: GOOD_EXAM });
    expect(verdict).toBe('pass');
    expect(entry).toMatchObject({ outcome: 'passed', detail: '2 of 2 requirements tested; 2 met' });
  });

  it('decide nothing in mode advise, and do not run in mode off', async () => {
    expect(await judge(HARD_CODED, { exam: GOOD_EXAM, mode: 'advise' })).toMatchObject({
      verdict: 'pass',
      entry: { outcome: 'failed', required: false },
    });
    const off = await judge(HARD_CODED, { exam: GOOD_EXAM, mode: 'off' });
    expect(off.text).not.toContain('acceptance_tests');
  });

  it.each([
    ['off', 0],
    ['advise', 1],
  ])('are requested once unless the base switches them off: %s', async (mode, expected) => {
    const repository = createTestRepository({
      ...BASE,
      'assay.yaml': BASE['assay.yaml'].replace('timeout_s', `mode: ${mode}\n  timeout_s`),
    });
    repository.write({ 'price.js': RIGHT });
    let requested = 0;
    const { gates } = await gatherEvidenceOn(repository, [], {
      requestIndependentTests: async () => {
        requested++;
        return { exam: GOOD_EXAM, counterexamples: [] };
      },
    });
    expect(requested).toBe(expected);
    expect(gates.filter(({ name }) => name === 'acceptance_tests')).toHaveLength(expected);
  });

  it('run where the base has no assay.yaml', async () => {
    const { 'assay.yaml': _, ...base } = BASE;
    expect(await judge(HARD_CODED, { exam: GOOD_EXAM }, base)).toMatchObject({ verdict: 'fail' });
  });

  it('take the questions of a task that is too vague to test', async () => {
    const exam = Exam.parse({ confidence: 0.1, questions: ['Which currency?'] });
    const { verdict, entry } = await judge(RIGHT, { exam });
    expect(verdict).toBe('pass');
    expect(entry).toMatchObject({ outcome: 'skipped', independent: { questions: ['Which currency?'] } });
  });

  const FAILS = `test('${PLANTED} doubles', () => assert.fail('${PLANTED}'));\n`;
  it.each([
    ['passes everything', `test('${PLANTED} doubles', () => {});\n`, 'passes_on_base'],
    ['contradicts the base', KEEPS.replace('keeps', 'doubles'), 'passes_on_base'],
    ['names a test that is not there', KEEPS, 'not_found_on_base'],
  ])('drop the point of an exam that %s', async (_what, source, reason) => {
    const { states, verdict, text } = await judge(RIGHT, { exam: examOf(source, [POINTS[0] ?? {}]) });
    expect(states).toEqual([{ outcome: 'dropped', reason }]);
    expect(verdict).toBe('refer');
    expect(text).not.toContain(PLANTED);
  });

  it.each([
    ['fails', ['failed', 'failed', 'failed'], { valid: true }],
    ['fails', ['not_loaded', 'failed', 'failed'], { valid: true }],
    ['fails', ['failed', 'passed', 'failed'], { valid: false, reason: 'flaky_on_base' }],
    ['passes', ['passed', 'passed', 'not_loaded'], { valid: false, reason: 'flaky_on_base' }],
    ['passes', ['failed', 'failed', 'failed'], { valid: false, reason: 'fails_on_base' }],
    ['passes', ['passed', 'skipped', 'passed'], { valid: false, reason: 'not_found_on_base' }],
    ['fails', ['failed', 'timed_out', 'failed'], { valid: false, notRun: 'timed_out' }],
  ] as const)('that are said to be "%s" on the base and are %j', (expected, states, decision) => {
    expect(decidePointOnBase(expected, states)).toEqual(decision);
  });

  it('that fail whatever the code does could not run, and fail no patch', async () => {
    const { verdict, entry } = await judge(RIGHT, { exam: examOf(FAILS, [POINTS[0] ?? {}]) });
    expect(verdict).toBe('refer');
    expect(entry).toMatchObject({ outcome: 'could_not_run' });
  });

  it('of which none fails on the base show no change', async () => {
    const exam = examOf(KEEPS, [POINTS[1] ?? {}]);
    expect(await judge(RIGHT, { exam })).toMatchObject({
      verdict: 'refer',
      entry: { outcome: 'could_not_run' },
    });
    const refactoring = examOf(KEEPS, [POINTS[1] ?? {}], { keeps_behaviour: true });
    expect(await judge(RIGHT, { exam: refactoring })).toMatchObject({ verdict: 'pass' });
  });

  it('of which none fails on the base verify no work, and an empty patch least of all', async () => {
    const { 'assay.yaml': _, ...base } = BASE;
    const exam = examOf(KEEPS, [POINTS[1] ?? {}], { keeps_behaviour: true });
    const { entry, isVerified } = await judge(RIGHT, { exam }, base);
    expect([entry?.outcome, isVerified]).toEqual(['passed', false]);
    const good = await judge(RIGHT, { exam: GOOD_EXAM }, base);
    expect([good.entry?.outcome, good.isVerified]).toEqual(['passed', true]);
    const advised = await judge(RIGHT, { exam: GOOD_EXAM, mode: 'advise' }, base);
    expect(advised.isVerified).toBe(false);
    const empty = evidence({ empty_patch: true, gates: entry ? [entry] : [] });
    expect(deriveVerdictFromEvidence(empty).verdict).toBe('fail');
  });

  it.each([
    [
      'sleep',
      `setTimeout(() => {}, 1e9); ${DOUBLES.replace('() =>', 'async () => { await new Promise(() => {}); }; () =>')}`,
    ],
    ['cannot be loaded', `require('./${PLANTED}');\n${DOUBLES}`],
    ['end the process', `process.exit(0);\n${DOUBLES}`],
    [
      'print secrets',
      `console.log('${PLANTED}'); console.error('${PLANTED}'); throw new Error('${PLANTED}');\n`,
    ],
  ])('that %s could not run', async (_what, source) => {
    const base = { ...BASE, 'assay.yaml': BASE['assay.yaml'].replace('timeout_s: 20', 'timeout_s: 2') };
    const { verdict, entry, text } = await judge(RIGHT, { exam: examOf(source, [POINTS[0] ?? {}]) }, base);
    expect(entry).toMatchObject({ outcome: 'could_not_run' });
    expect(verdict).toBe('refer');
    expect(text).not.toContain(PLANTED);
  });

  it('may not take the place of a file of the base', async () => {
    const exam = examOf(DOUBLES + KEEPS, POINTS, {
      files: [{ path: 'test/price.test.js', content: `${HEAD}${DOUBLES}${KEEPS}` }],
      command: 'node --test test/price.test.js',
    });
    const { states } = await judge(RIGHT, { exam });
    expect(states).toEqual(POINTS.map(() => ({ outcome: 'dropped', reason: 'overwrites_base_file' })));
  });

  it('leave what they write and start behind in no other sandbox', async () => {
    const intruder = `
      require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
      require('node:fs').writeFileSync('price.js', 'exports.price = () => 14;');\n`;
    const { verdict, entry } = await judge(HARD_CODED, { exam: examOf(intruder + DOUBLES + KEEPS, POINTS) });
    expect(entry).toMatchObject({ outcome: 'failed' });
    expect(verdict).toBe('fail');
  });
});

describe('counterexamples', () => {
  const tests = ['big', 'bigger', 'biggest'].map((name) => `${PLANTED} ${name}`);
  const counterexample = (
    more: object = {},
    body = '(name) => assert.equal(price(7), 14, name)',
  ): Counterexample =>
    Counterexample.parse({
      kind: 'requirement',
      requirement: DOUBLED,
      file: 'price.js',
      line: 1,
      command: 'node --test test/counter.test.js',
      test: tests[0],
      input: 'price(7)',
      neighbours: tests.slice(1),
      why: `it ${PLANTED}`,
      files: [
        {
          path: 'test/counter.test.js',
          content: `${HEAD}const check = ${body};\nfor (const name of ${JSON.stringify(tests)}) test(name, () => check(name));\n`,
        },
      ],
      ...more,
    });

  it('that hold fail the patch, and show one input', async () => {
    const { verdict, entry, text } = await judge(HARD_CODED, { counterexamples: [counterexample()] });
    expect(verdict).toBe('fail');
    expect(entry).toMatchObject({
      name: 'counterexamples',
      outcome: 'failed',
      findings: [{ file: 'price.js', line: 1, message: `${DOUBLED}: wrong for price(7)` }],
    });
    expect(text).not.toContain(PLANTED);
  });

  it.each([
    ['passes on the patch', RIGHT, {}, undefined, 'passes_on_patch'],
    [
      'fails on the base, though it is called a regression',
      HARD_CODED,
      { kind: 'regression' },
      undefined,
      'fails_on_base',
    ],
    [
      'has neighbours that pass',
      HARD_CODED,
      {},
      `(name) => assert.equal(price(name.endsWith('big') ? 7 : 2), name.endsWith('big') ? 14 : 4)`,
      'too_few_neighbours',
    ],
    ['cannot be loaded', HARD_CODED, {}, `require('./missing')`, 'not_found_on_patch'],
  ])('one that %s is dropped', async (_what, source, more, body, reason) => {
    const { verdict, entry } = await judge(source, { counterexamples: [counterexample(more, body)] });
    expect(entry?.independent?.counterexamples[0]?.result).toEqual({ outcome: 'dropped', reason });
    expect(entry).toMatchObject({ outcome: 'skipped', required: false });
    expect(verdict).toBe('pass');
  });

  it.each([
    ['regression', 'passed', { outcome: 'not_run', reason: 'flaky' }],
    ['regression', 'failed', { outcome: 'dropped', reason: 'fails_on_base' }],
    ['requirement', 'failed', { outcome: 'dropped', reason: 'flaky_on_patch' }],
  ] as const)(
    'a %s that fails at random is kept for a reviewer where the base always passes (%s)',
    (kind, base, result) => {
      const runsOf = (...states: readonly ('passed' | 'failed')[]) =>
        states.map((state) => tests.map(() => ({ state, failure: null })));
      const onBase = runsOf(base, base, base);
      expect(decideCounterexample(kind, onBase, runsOf('failed', 'passed', 'failed')).result).toEqual(result);
    },
  );
});

describe('counterexamples of earlier attempts', () => {
  const earlier = [
    examOf(
      DOUBLES + KEEPS.replace('price(0), 0', 'price(3), 6'),
      POINTS.map((each) => ({ ...each, on_base: 'fails' })),
    ),
  ];
  const dropsAll: NonNullable<IndependentTests['adjudicateNeighbours']> = async (_kind, failures) =>
    new Map(failures.map(({ index }) => [index, { outcome: 'dropped', reason: 'not_demanded' }] as const));

  it('fail the patch; a failing neighbour counts only where the task demands it', async () => {
    const first = await judge(HARD_CODED, { earlier });
    expect(first.states).toEqual([{ outcome: 'not_met' }, { outcome: 'not_met' }]);
    const asked: number[] = [];
    const adjudicated = await judge(HARD_CODED, {
      earlier,
      adjudicateNeighbours: (kind, failures) => {
        asked.push(...failures.map(({ index }) => index));
        return dropsAll(kind, failures);
      },
    });
    expect(asked).toEqual([1]);
    expect(adjudicated.states).toEqual([
      { outcome: 'not_met' },
      { outcome: 'dropped', reason: 'not_demanded' },
    ]);
    expect(adjudicated.verdict).toBe('fail');
  });
});
