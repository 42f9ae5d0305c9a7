import { describe, expect, it } from 'vitest';
import { Exam } from '../../../../shared/contract/exam.ts';
import {
  type AdjudicatorAnswer,
  decideAdjudication,
} from '../../../../shared/reviews/reviewers/adjudicator.ts';
import { type ExaminerAnswer, examFromAnswer } from '../../../../shared/reviews/reviewers/examiner.ts';

const ANSWER: ExaminerAnswer = {
  open: ['what happens to text'],
  questions: [],
  points: [{ requirement: 'sum adds\nits arguments', test: 'adds', on_base: 'fails' }],
  files: [{ path: 'test/exam.test.js', content: "test('adds', () => {});\n" }],
  command: 'node --test test/exam.test.js\n',
  keeps_behaviour: false,
  confidence: 0.9,
};

describe('an exam from the answer of a model', () => {
  it('has one line for each text, and fits the contract', () => {
    const exam = examFromAnswer(ANSWER);
    expect(exam).toMatchObject({
      command: 'node --test test/exam.test.js',
      points: [{ requirement: 'sum adds its arguments', test: 'adds', on_base: 'fails' }],
      open: ['what happens to text'],
    });
    expect(Exam.safeParse(exam).success).toBe(true);
  });

  it('names a test once', () => {
    const [point] = ANSWER.points;
    expect(examFromAnswer({ ...ANSWER, points: [point, point].flatMap((each) => each ?? []) })).toMatchObject(
      {
        points: [{ test: 'adds' }],
      },
    );
  });

  it('is empty where the task is too vague, and asks questions', () => {
    const vague = { ...ANSWER, points: [], files: [], command: null, questions: ['Which rate applies?'] };
    expect(examFromAnswer(vague)).toMatchObject({
      points: [],
      command: null,
      questions: ['Which rate applies?'],
    });
  });

  it.each([
    ['points without a command', { command: null }],
    ['points without a file', { files: [] }],
    ['neither points nor questions', { points: [] }],
    ['a path out of the checkout', { files: [{ path: '../../etc/passwd', content: 'x' }] }],
    ['a path into .git', { files: [{ path: '.git/hooks/pre-commit', content: 'x' }] }],
  ])('is none with %s', (_name, fields) => {
    expect(examFromAnswer({ ...ANSWER, ...fields })).toMatchObject({ code: 'unreadable_answer' });
  });
});

describe('the adjudicator', () => {
  const TASK = 'Make `sum` add.\nIt must add its two arguments, and refuse text.';
  const answer = (fields: Partial<AdjudicatorAnswer> = {}): AdjudicatorAnswer => ({
    reason: 'the task says so',
    basis: 'task',
    quote: 'It must add its two arguments',
    decision: 'demanded',
    severity: 'blocking',
    confidence: 0.9,
    ...fields,
  });

  it.each([
    ['demanded and blocking', {}, { outcome: 'not_met' }],
    [
      'demanded, and the quote has other marks',
      { quote: 'it must add its two arguments,  and' },
      { outcome: 'not_met' },
    ],
    [
      'demanded by behaviour of the base',
      { basis: 'base', quote: 'sum of no arguments is 0' },
      { outcome: 'not_met' },
    ],
    ['minor', { severity: 'minor' }, { outcome: 'dropped', reason: 'minor' }],
    [
      'not demanded',
      { decision: 'not_demanded', basis: 'none', quote: '' },
      { outcome: 'dropped', reason: 'not_demanded' },
    ],
    ['unclear', { decision: 'cannot_tell' }, { outcome: 'not_run', reason: 'cannot_tell' }],
    [
      'demanded by a sentence that the task does not have',
      { quote: 'It must multiply' },
      { outcome: 'not_run', reason: 'cannot_tell' },
    ],
    ['demanded by a quote of one word', { quote: 'add' }, { outcome: 'not_run', reason: 'cannot_tell' }],
    ['demanded by nothing', { basis: 'none' }, { outcome: 'not_run', reason: 'cannot_tell' }],
    [
      'not sure',
      { confidence: 0.5, decision: 'not_demanded' },
      { outcome: 'not_run', reason: 'cannot_tell' },
    ],
  ] as const)('decides a test that is %s', (_name, fields, expected) => {
    expect(decideAdjudication([answer(fields)], TASK)).toEqual(expected);
  });

  it('leaves to a reviewer what nobody answers, and what it decides differently in the other order', () => {
    const unclear = { outcome: 'not_run', reason: 'cannot_tell' };
    expect(decideAdjudication([null], TASK)).toEqual(unclear);
    expect(decideAdjudication([answer(), null], TASK)).toEqual(unclear);
    expect(decideAdjudication([answer(), answer({ decision: 'not_demanded' })], TASK)).toEqual(unclear);
    expect(decideAdjudication([answer(), answer()], TASK)).toEqual({ outcome: 'not_met' });
  });
});
