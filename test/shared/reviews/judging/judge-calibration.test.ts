import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADVERSARIAL_CORPUS } from '../../../../lab/adversarial/corpus.ts';
import { readGoldenCases } from '../../../../shared/reviews/judging/golden-cases.ts';
import {
  type AnsweredCase,
  type CaseAnswer,
  measureCalibration,
} from '../../../../shared/reviews/judging/judge-calibration.ts';
import { renderReliabilityPlot } from '../../../../shared/reviews/judging/reliability-plot.ts';

const said = (word: CaseAnswer['verdict'], confidence: number | null = null): CaseAnswer => ({
  verdict: word,
  confidence,
});
const times = (count: number, truth: 'good' | 'bad', ...answers: CaseAnswer[]): AnsweredCase[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${truth}${index}`, truth, answers }));

describe('a calibration', () => {
  it('has the kappa and the interval of the textbook', () => {
    // 20 and 15 of 50 agree, 5 and 10 do not: observed 0.7, by chance 0.5.
    const { agreement, kappa, caught, held_wrongly } = measureCalibration([
      ...times(20, 'good', said('good')),
      ...times(5, 'good', said('bad')),
      ...times(10, 'bad', said('good')),
      ...times(15, 'bad', said('bad')),
    ]);
    expect(agreement).toBeCloseTo(0.7);
    expect(kappa?.value).toBeCloseTo(0.4);
    expect(kappa?.low).toBeCloseTo(0.4 - 1.96 * 0.1296, 3);
    expect(kappa?.high).toBeCloseTo(0.4 + 1.96 * 0.1296, 3);
    expect(caught).toBeCloseTo(0.6);
    expect(held_wrongly).toBeCloseTo(0.2);
  });

  it.each([
    ['all answers say what is true', [...times(5, 'good', said('good')), ...times(5, 'bad', said('bad'))], 1],
    ['all say the opposite', [...times(5, 'good', said('bad')), ...times(5, 'bad', said('good'))], -1],
    [
      'all say the same whatever is true',
      [...times(5, 'good', said('good')), ...times(5, 'bad', said('good'))],
      0,
    ],
    ['there is one kind of case only', times(5, 'good', said('good')), null],
    ['nobody answers', times(5, 'good', said(null)), null],
  ] as const)('where %s has a kappa of that', (_name, cases, value) => {
    const { kappa } = measureCalibration(cases);
    if (value === null) expect(kappa).toBeNull();
    else expect(kappa?.value).toBeCloseTo(value);
  });

  it('says how much answers to one case differ; a tie is a doubt', () => {
    const split = measureCalibration(times(4, 'bad', said('good', 0.8), said('bad', 0.6)));
    expect(split.variance).toEqual({ split: 1, word: 0.25, confidence: expect.closeTo(0.01) });
    expect(split.caught).toBe(1);
    expect(measureCalibration(times(4, 'bad', said('bad', 0.8), said('bad', 0.8))).variance).toEqual({
      split: 0,
      word: 0,
      confidence: 0,
    });
    expect(measureCalibration(times(4, 'bad', said('bad'))).variance).toBeNull();
  });

  it('holds confidence against truth, bin by bin', () => {
    const { reliability, calibration_error } = measureCalibration([
      ...times(8, 'bad', said('bad', 0.9)),
      ...times(2, 'good', said('bad', 1)),
      ...times(5, 'good', said('good', 0.65)),
    ]);
    expect(reliability.at(-1)).toEqual({
      from: 0.9,
      to: 1,
      answers: 10,
      confidence: expect.closeTo(0.92),
      right: 0.8,
    });
    expect(reliability.find(({ from }) => from === 0.6)).toMatchObject({ answers: 5, right: 1 });
    expect(reliability[0]).toEqual({ from: 0, to: 0.5, answers: 0, confidence: null, right: null });
    expect(calibration_error).toBeCloseTo((10 / 15) * 0.12 + (5 / 15) * 0.35);
  });

  it('never leaves its bounds, and counts each answer once', () => {
    const answer = fc.record({
      verdict: fc.constantFrom('good' as const, 'bad' as const, null),
      confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    });
    const measured = fc.record({
      id: fc.string(),
      truth: fc.constantFrom('good' as const, 'bad' as const),
      answers: fc.array(answer, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(measured, { maxLength: 12 }), (cases) => {
        const of = measureCalibration(cases);
        expect(of.answers + of.unanswered).toBe(cases.flatMap(({ answers }) => answers).length);
        for (const share of [
          of.agreement,
          of.caught,
          of.held_wrongly,
          of.calibration_error,
          of.variance?.split ?? null,
        ])
          if (share !== null) expect(share >= 0 && share <= 1).toBe(true);
        if (of.kappa) expect(of.kappa.low <= of.kappa.value && of.kappa.value <= of.kappa.high).toBe(true);
        const sure = cases
          .flatMap(({ answers }) => answers)
          .filter((each) => each.verdict && each.confidence !== null);
        expect(of.reliability.reduce((sum, { answers }) => sum + answers, 0)).toBe(sure.length);
      }),
    );
  });

  it('is drawn with a dot for each bin that has answers, and nothing of a name as markup', () => {
    const drawn = renderReliabilityPlot(
      measureCalibration([...times(3, 'bad', said('bad', 0.95)), ...times(3, 'good', said('bad', 0.65))]),
      '<script>"&',
    );
    expect(drawn.match(/<circle /g)).toHaveLength(2);
    expect(drawn).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect(drawn).not.toContain('<script>');
  });
});

describe('a golden set', () => {
  const line = (fields: object): string =>
    JSON.stringify({ id: 'a', truth: 'good', title: 't', diff: 'd', ...fields });
  const bad = line({ id: 'b', truth: 'bad' });

  it('is read line by line, with what is not said filled in', () => {
    expect(readGoldenCases(`${line({})}\n\n${bad}\n`)).toMatchObject([
      { id: 'a', truth: 'good', criteria: 'The work does what its task asks.', notes: [] },
      { id: 'b', truth: 'bad' },
    ]);
  });

  it.each([
    ['what is no JSON', `${bad}\n{`, 2, 'is not JSON'],
    ['a truth that there is not', `${bad}\n${line({ truth: 'maybe' })}`, 2, 'truth: '],
    [
      'a diff that is missing',
      `${JSON.stringify({ id: 'a', truth: 'good', title: 't' })}\n${bad}`,
      1,
      'diff: ',
    ],
    ['a field that there is not', `${bad}\n${line({ thruth: 'good' })}`, 2, 'thruth'],
    ['an id that is there twice', `${line({})}\n${bad}\n${line({})}`, 3, 'id: a is that of line 1'],
    ['a list', `${bad}\n[]`, 2, 'expected object'],
    ['one kind of truth', bad, 1, 'no line says good'],
    ['nothing', '', 1, 'no line says good or bad'],
  ])('is refused for %s, by line and field', (_name, text, number, message) => {
    const read = readGoldenCases(text);
    if (!('problems' in read)) throw new Error('was taken');
    expect(read.problems[0]).toEqual({ line: number, message: expect.stringContaining(message) });
  });

  it('comes with Assay: pairs about one task, what gates let through among them', () => {
    const golden = readGoldenCases(readFileSync('docs/examples/golden.jsonl', 'utf8'));
    if ('problems' in golden) throw new Error(JSON.stringify(golden.problems));
    const truths = Object.groupBy(golden, ({ truth }) => truth);
    expect(truths.bad?.length).toBe(truths.good?.length);
    expect(golden.length).toBeGreaterThanOrEqual(100);
    const ids = new Set(golden.map(({ id }) => id));
    const missed = ADVERSARIAL_CORPUS.filter(
      ({ expectedCatch, known_miss }) => expectedCatch.how === 'noted' || known_miss !== undefined,
    );
    expect(missed.filter(({ name }) => !ids.has(`${name}, evasive`)).map(({ name }) => name)).toEqual([]);
    for (const { title, description } of golden)
      expect(`${title}${description}`).not.toMatch(/evasi|honest|cheat/i);
  });
});
