import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { VERDICTS } from '../check-outcome.ts';
import { DEFAULT_MIN_GRADING_CONFIDENCE, GRADE_TYPE_NAMES } from './rubric-kinds.ts';

/** Largest distance of the sum of all weights from 1. */
export const WEIGHT_TOLERANCE = 1e-6;
/** For a sum that is as far away as may be, and a hair farther by the arithmetic of binary fractions. */
const ROUNDING = 1e-12;

const text = (most: number) => z.string().trim().min(1, 'must not be blank').max(most);
export const UnitFraction = StorableNumber.min(0).max(1);

export const RubricCriterion = z.strictObject({
  name: text(64),
  description: text(1_000),
  weight: UnitFraction,
  grade_type: z.enum(GRADE_TYPE_NAMES),
});
export type RubricCriterion = z.infer<typeof RubricCriterion>;

export const CalibrationExample = z.strictObject({
  artifact_summary: text(2_000),
  rationale: text(2_000),
  expected_verdict: z.enum(VERDICTS),
  expected_grades: z.record(z.string(), UnitFraction).optional(),
});

/** The order in which faults are told: style, criteria, weights, names, calibration. */
export const VerificationRubric = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits or "-"'),
    grading_style: z
      .enum(['absolute', 'relative', 'pairwise'])
      .default('absolute')
      .refine((style) => style === 'absolute', { message: 'only `absolute` is served' }),
    criteria: z.array(RubricCriterion).min(1, 'must have a criterion').max(20),
    min_confidence: UnitFraction.default(DEFAULT_MIN_GRADING_CONFIDENCE),
    fails_below: UnitFraction.optional().describe(
      'A pass with a weighted score below this is a fail. Absent: the score is shown and decides nothing.',
    ),
    calibration_examples: z.array(CalibrationExample).max(10).default([]),
  })
  .superRefine(({ criteria, calibration_examples: examples }, context) => {
    const sum = criteria.reduce((total, { weight }) => total + weight, 0);
    if (Math.abs(sum - 1) > WEIGHT_TOLERANCE + ROUNDING)
      context.addIssue({
        code: 'custom',
        path: ['criteria'],
        message: `the weights add up to ${sum}, not to 1`,
      });
    const names = criteria.map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index)
        context.addIssue({
          code: 'custom',
          path: ['criteria', index, 'name'],
          message: `${name} is the name of another criterion`,
        });
    });
    examples.forEach(({ expected_grades: grades = {} }, index) => {
      for (const name of Object.keys(grades))
        if (!names.includes(name))
          context.addIssue({
            code: 'custom',
            path: ['calibration_examples', index, 'expected_grades', name],
            message: `${name} is no criterion of this rubric`,
          });
    });
  });
export type VerificationRubric = z.infer<typeof VerificationRubric>;
