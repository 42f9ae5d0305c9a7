import { describe, expect, it } from 'vitest';
import { Counterexample, Exam, ExamManifest } from '../../../shared/contract/exam.ts';

const manifest = {
  command: 'node --test test/exam.test.js',
  points: [{ requirement: 'each unit at most once', test: 'exam: a unit twice', on_base: 'passes' }],
  open: ['wording of the error'],
  confidence: 0.9,
};
const files = [{ path: 'test/exam.test.js', content: 'x' }];
const counterexample = {
  kind: 'regression',
  requirement: 'the sum is kept',
  file: 'src/sum.js',
  line: 3,
  command: 'node --test test/counter.test.js',
  test: 'sum of none',
  input: 'sum([])',
  neighbours: ['sum of one', 'sum of two'],
  why: 'returns NaN',
  files: [{ path: 'test/counter.test.js', content: 'x' }],
};

describe('the schema of an exam', () => {
  it('reads a recorded exam.json, and the same with its files', () => {
    expect(ExamManifest.parse(manifest)).toMatchObject({ questions: [], open: ['wording of the error'] });
    expect(Exam.parse({ ...manifest, files })).toMatchObject({ points: [{ on_base: 'passes' }] });
  });

  it('takes an exam without points only with questions', () => {
    const empty = { confidence: 0.2 };
    expect(Exam.safeParse(empty).success).toBe(false);
    expect(Exam.parse({ ...empty, questions: ['Which currencies?'] })).toMatchObject({ command: null });
  });

  it.each([
    ['no command', { ...manifest, command: null, files }],
    ['no files', manifest],
    ['the same test twice', { ...manifest, files, points: [...manifest.points, ...manifest.points] }],
    ['a path out of the checkout', { ...manifest, files: [{ path: '../x', content: '' }] }],
    [
      'a requirement of two lines',
      { ...manifest, files, points: [{ ...manifest.points[0], requirement: 'a\nb' }] },
    ],
  ])('refuses an exam with %s', (_what, exam) => {
    expect(Exam.safeParse(exam).success).toBe(false);
  });
});

describe('the schema of a counterexample', () => {
  it('asks for two neighbours, a file and a line', () => {
    expect(Counterexample.safeParse(counterexample).success).toBe(true);
    for (const wrong of [{ neighbours: ['sum of one'] }, { line: 0 }, { file: '/etc/passwd' }])
      expect(Counterexample.safeParse({ ...counterexample, ...wrong }).success).toBe(false);
  });
});
