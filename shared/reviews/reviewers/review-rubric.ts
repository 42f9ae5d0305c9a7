import * as z from 'zod';
import type { GateReviewer, GateReviewInput } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { GATE_REVIEWER_DEFAULTS } from './gate-review-defaults.ts';

/** Weight of each dimension; together 1. */
export const RUBRIC_WEIGHTS = {
  style_compliance: 0.15,
  correctness: 0.35,
  performance_impact: 0.15,
  security: 0.25,
  maintainability: 0.1,
} as const;
type RubricDimension = keyof typeof RUBRIC_WEIGHTS;
const DIMENSIONS = Object.keys(RUBRIC_WEIGHTS) as RubricDimension[];

const PASS_FROM = 6;
const REWORK_BELOW = 4;
/** No other score makes up for a dimension below this one. */
const DIMENSION_FLOOR = 4;

/** A dimension that is missing, or off the scale, makes the answer unreadable: no score is made up for it. */
const RubricAnswer = z.strictObject({
  summary: z.string().max(4_000),
  scores: z.strictObject(
    Object.fromEntries(DIMENSIONS.map((name) => [name, z.number().min(0).max(10)])) as Record<
      RubricDimension,
      z.ZodNumber
    >,
  ),
});

/** The weighted mean of the scores, with two decimal places. */
export const computeCompositeScore = (scores: Readonly<Record<RubricDimension, number>>): number =>
  Math.round(DIMENSIONS.reduce((sum, name) => sum + RUBRIC_WEIGHTS[name] * scores[name], 0) * 100) / 100;

/** Scores of the patch in five dimensions. */
export const REVIEW_RUBRIC_REVIEWER = {
  ...GATE_REVIEWER_DEFAULTS,
  kind: 'review_rubric',
  purpose: 'rubric',
  prompt: JUDGE_PROMPTS.review_rubric,
  answerSchema: () => RubricAnswer,
  maxTokens: 1_024,
  decide: ({ scores, summary }) => {
    const composite = computeCompositeScore(scores);
    const tooLow = DIMENSIONS.filter((name) => scores[name] < DIMENSION_FLOOR);
    const floor =
      tooLow.length === 0
        ? ''
        : ` ${tooLow.map((name) => `${name} has ${scores[name]}`).join(', ')}, and ${DIMENSION_FLOOR} are needed in each dimension.`;
    return {
      outcome: composite >= PASS_FROM && tooLow.length === 0 ? 'passed' : 'failed',
      findings: DIMENSIONS.filter((name) => scores[name] < PASS_FROM).map((name) => ({
        file: null,
        line: null,
        rule: name,
        message: `${scores[name]} of 10`,
      })),
      detail: `${composite} of 10, ${PASS_FROM} needed:${floor} ${summary}`,
      facts: { composite, needs_rework: composite < REWORK_BELOW, ...scores },
    };
  },
} satisfies GateReviewer<typeof RubricAnswer, GateReviewInput>;
