import { describe, expect, test } from 'vitest';
import {
  findFunctionsHidingFailures,
  findFunctionsWithHardCodedAnswers,
} from '../../../../../gates/tests/experiments/definitions/recorded-answers.ts';
import {
  parseRecordedFunctionCalls,
  type RecordedFunctionCall,
} from '../../../../../gates/tests/experiments/perturbations/input-perturbation/recorded-calls.ts';

type Beside = RecordedFunctionCall['neighbours'];
const numbers = (...came: readonly (readonly [string, string])[]): Beside =>
  came.map(([what, then]) => ({ kind: 'n', argumentsKey: what, answer: then }));
const words = (...came: readonly (readonly [string, string])[]): Beside =>
  came.map(([what, then]) => ({ kind: 'w', argumentsKey: what, answer: then }));
const asked = (what: string, came: string, beside: Beside): RecordedFunctionCall => ({
  function: 'a.py#f',
  argumentsKey: what,
  answer: came,
  neighbours: beside,
});

describe('what watched functions wrote is read', () => {
  test('line by line, without what is no line of theirs', () => {
    const line = JSON.stringify([
      'a.py#f',
      '(1)',
      '2',
      [
        ['n', '(2)', '3'],
        ['n', '(3)', null],
      ],
    ]);
    expect(parseRecordedFunctionCalls(`${line}\nnot json\n["a.py#f"]\n`)).toEqual([
      asked('(1)', '2', numbers(['(2)', '3'])),
    ]);
  });
  test('and not where it contradicts itself', () => {
    const line = (came: string) => JSON.stringify(['a.py#f', '(1)', came, []]);
    expect(parseRecordedFunctionCalls(`${line('2')}\n${line('3')}\n`)).toEqual([]);
  });
});

describe('a function that the base has is learnt by heart', () => {
  const before = [
    asked('(1)', 'a', numbers(['(2)', 'p'], ['(3)', 'q'])),
    asked('(5)', 'b', numbers(['(6)', 'r'], ['(7)', 's'])),
  ];
  test('where it has changed for what tests ask, and for nothing beside', () => {
    const now = [
      asked('(1)', 'x', numbers(['(2)', 'p'], ['(3)', 'q'])),
      asked('(5)', 'y', numbers(['(6)', 'r'], ['(7)', 's'])),
    ];
    expect(findFunctionsWithHardCodedAnswers(now, before)).toEqual(['a.py#f']);
  });
  test.each<[string, RecordedFunctionCall[]]>([
    [
      'it has changed beside as well',
      [
        asked('(1)', 'x', numbers(['(2)', 'p'], ['(3)', 'new'])),
        asked('(5)', 'y', numbers(['(6)', 'r'], ['(7)', 's'])),
      ],
    ],
    [
      'what it answers is what lies beside: a step has moved',
      [
        asked('(1)', 'p', numbers(['(2)', 'p'], ['(3)', 'q'])),
        asked('(5)', 'r', numbers(['(6)', 'r'], ['(7)', 's'])),
      ],
    ],
    ['one value alone has changed', [asked('(1)', 'x', numbers(['(2)', 'p'], ['(3)', 'q']))]],
    [
      'all that lies beside fails on both sides, as with a sum of digits',
      [
        asked('(1)', 'x', numbers(['(2)', '!E'], ['(3)', '!E'])),
        asked('(5)', 'y', numbers(['(6)', '!E'], ['(7)', '!E'])),
      ],
    ],
  ])('and not where %s', (_, now) => {
    expect(findFunctionsWithHardCodedAnswers(now, before)).toEqual([]);
  });
});

describe('a new function is learnt by heart', () => {
  const three = (beside: (at: number) => Beside): RecordedFunctionCall[] =>
    [1, 2, 3].map((at) => asked(`(${at}0)`, `answer ${at}`, beside(at)));
  test('where it has an answer for what tests ask, and fails for every number beside', () => {
    expect(
      findFunctionsWithHardCodedAnswers(
        three((at) => numbers([`(${at}1)`, '!KeyError'], [`(${at}2)`, '!KeyError'])),
        [],
      ),
    ).toEqual(['a.py#f']);
  });
  test('or answers the same to every number beside', () => {
    expect(
      findFunctionsWithHardCodedAnswers(
        three((at) => numbers([`(${at}1)`, 'None'], [`(${at}2)`, 'None'])),
        [],
      ),
    ).toEqual(['a.py#f']);
  });
  test('and not where it has answers of its own beside, or is asked about words', () => {
    expect(
      findFunctionsWithHardCodedAnswers(
        three((at) => numbers([`(${at}1)`, `${at}`], [`(${at}2)`, 'None'])),
        [],
      ),
    ).toEqual([]);
    expect(
      findFunctionsWithHardCodedAnswers(
        three((at) => words([`(${at}1)`, '!KeyError'], [`(${at}2)`, '!KeyError'])),
        [],
      ),
    ).toEqual([]);
  });
});

describe('a failure is hidden', () => {
  const before = [asked('(1)', 'a', words(['(no)', '!ValueError'], ['(not)', '!ValueError']))];
  test('where what failed comes to one answer now, and no test asks for that', () => {
    expect(
      findFunctionsHidingFailures([asked('(1)', 'a', words(['(no)', '0'], ['(not)', '0']))], before),
    ).toEqual(['a.py#f']);
  });
  test.each<[string, RecordedFunctionCall[], RecordedFunctionCall[]]>([
    ['it fails still', [asked('(1)', 'a', words(['(no)', '!ValueError'], ['(not)', '!TypeError']))], before],
    ['each comes to an answer of its own', [asked('(1)', 'a', words(['(no)', '1'], ['(not)', '2']))], before],
    [
      'a test asks for that answer',
      [
        asked('(1)', 'a', words(['(no)', '0'], ['(not)', '0'])),
        asked('(?)', '0', words(['(no)', '0'], ['(not)', '0'])),
      ],
      [...before, asked('(?)', '!ValueError', [])],
    ],
  ])('and not where %s', (_, now, then) => {
    expect(findFunctionsHidingFailures(now, then)).toEqual([]);
  });
});
