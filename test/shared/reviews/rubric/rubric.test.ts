import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRADE_TYPES } from '../../../../shared/contract/rubric/rubric-kinds.ts';
import { VerificationRubric } from '../../../../shared/contract/rubric/verification-rubric.ts';
import { BUILTIN_RUBRICS } from '../../../../shared/reviews/rubric/builtin-rubrics.ts';
import { readRubric } from '../../../../shared/reviews/rubric/read-rubric.ts';
import {
  computeWeightedRubricScore,
  unexpectedGradeMessages,
} from '../../../../shared/reviews/rubric/weighted-score.ts';

const criterion = (name: string, weight: number, grade_type = 'score') => ({
  name,
  description: `about ${name}`,
  weight,
  grade_type,
});
const rubric = (...criteria: ReturnType<typeof criterion>[]) => ({ name: 'own', criteria });
const refusal = (value: unknown) =>
  VerificationRubric.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

describe('the rubrics that are built in, as the seed has them', () => {
  it.each([
    ['frontend-design', 'design', 0.25, 'score'],
    ['frontend-design', 'originality', 0.25, 'score'],
    ['frontend-design', 'craft', 0.25, 'score'],
    ['frontend-design', 'functionality', 0.25, 'score'],
    ['default-task', 'correctness', 0.4, 'score'],
    ['default-task', 'completeness', 0.35, 'score'],
    ['default-task', 'probe-adherence', 0.25, 'binary'],
  ])('%s has %s at %d, graded as %s', (name, named, weight, grade_type) => {
    const found = BUILTIN_RUBRICS.find((each) => each.name === name);
    expect(found?.criteria).toContainEqual(expect.objectContaining({ name: named, weight, grade_type }));
    expect(found?.min_confidence).toBe(0.7);
    expect(found?.calibration_examples).toEqual([]);
  });
});

describe('a rubric', () => {
  it.each([
    [1, true],
    [1 - 1e-6, true],
    [1 + 1e-6, true],
    [0.999, false],
    [1.001, false],
    [1 + 3e-6, false],
  ])('with weights of %d together is taken: %s', (sum, isTaken) => {
    expect(refusal(rubric(criterion('a', 0.5), criterion('b', sum - 0.5))).length === 0).toBe(isTaken);
  });

  it.each([
    ['no criterion', { name: 'own', criteria: [] }, 'must have a criterion'],
    ['a name twice', rubric(criterion('a', 0.5), criterion('a', 0.5)), 'a is the name of another criterion'],
    [
      'a style that is not served',
      { ...rubric(criterion('a', 1)), grading_style: 'pairwise' },
      'only `absolute` is served',
    ],
    [
      'an example that grades what nobody asked for',
      {
        ...rubric(criterion('a', 1)),
        calibration_examples: [
          { artifact_summary: 's', rationale: 'r', expected_verdict: 'pass', expected_grades: { b: 1 } },
        ],
      },
      'b is no criterion of this rubric',
    ],
    ['a weight that is no number', rubric(criterion('a', Number.NaN)), null],
  ])('with %s is refused', (_what, value, message) => {
    const said = refusal(value);
    expect(said.length).toBeGreaterThan(0);
    if (message) expect(said).toContain(message);
  });

  it('in a file is refused with its line, one of 10 MB before it is read', () => {
    const text = 'name: own\ncriteria:\n  - { name: a, description: d, weight: 0.999, grade_type: score }\n';
    expect(readRubric(text, 'r.yaml')).toMatchObject({
      problems: [{ file: 'r.yaml', line: 3, message: 'criteria: the weights add up to 0.999, not to 1' }],
    });
    expect(readRubric('x'.repeat(10_000_000), 'r.yaml')).toMatchObject({
      problems: [{ line: null, message: 'has more than 65536 bytes' }],
    });
  });
});

describe('the weighted score', () => {
  it('is the sum of weight by grade, and unknown where a grade is', () => {
    const of = VerificationRubric.parse(rubric(criterion('a', 0.75), criterion('b', 0.25)));
    expect(computeWeightedRubricScore(of, { a: 1, b: 0 })).toBe(0.75);
    expect(computeWeightedRubricScore(of, { a: 1 })).toBeNull();
  });

  it('stays within 0 and 1, and is highest with the highest grades', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, share, (weight, a, b) => {
        const of = { criteria: [criterion('a', weight), criterion('b', 1 - weight)] } as VerificationRubric;
        const score = computeWeightedRubricScore(of, { a, b }) ?? -1;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(computeWeightedRubricScore(of, { a: 1, b: 1 }) ?? 0);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['binary', 0, true],
    ['binary', 1, true],
    ['binary', 0.5, false],
    ['ternary', 0, true],
    ['ternary', 0.5, true],
    ['ternary', 1, true],
    ['ternary', 0.7, false],
    ['score', 0.7, true],
  ])('takes a %s grade of %d as it is, and says whether it is one of its type: %s', (type, grade, isOne) => {
    const of = VerificationRubric.parse(rubric(criterion('a', 1, type)));
    expect(computeWeightedRubricScore(of, { a: grade })).toBe(grade);
    expect(unexpectedGradeMessages(of, { a: grade }).length === 0).toBe(isOne);
    expect(Object.keys(GRADE_TYPES)).toContain(type);
  });
});
