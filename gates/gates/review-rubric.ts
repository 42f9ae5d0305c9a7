import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { PROMPTS } from '../../shared/reviews/judging/prompts.ts';
import type { Gate } from '../core/gate.ts';
import { askModelForPurpose, EMPTY_DIFF_RESULT, withInjectionCheck } from '../rules/llm/ask-model.ts';
import { readLimitedDiff } from '../rules/llm/patch-diff.ts';

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

const Score = z.number().min(0).max(10);
/** A dimension that is missing, or off the scale, makes the answer unreadable: nobody makes up a score for it. */
const RubricAnswer = z.strictObject({
  summary: z.string().max(4_000),
  scores: z.strictObject({
    style_compliance: Score,
    correctness: Score,
    performance_impact: Score,
    security: Score,
    maintainability: Score,
  }),
});

/** The weighted mean of the scores, with two decimal places. */
export const computeCompositeScore = (scores: Readonly<Record<RubricDimension, number>>): number =>
  Math.round(DIMENSIONS.reduce((sum, name) => sum + RUBRIC_WEIGHTS[name] * scores[name], 0) * 100) / 100;

/** Marks for the patch in five dimensions, in a model's opinion. */
export const reviewRubricGate: Gate = {
  name: 'review_rubric',
  configKey: 'review_rubric',
  enabledByDefault: false,
  required: true,
  condition: 'code_changed',
  settings: { review_rubric: z.boolean().optional(), review_rubric_on_error: OnErrorSetting },
  asksModel: true,
  run: async (context, settings) => {
    if (context.subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    const asked = await askModelForPurpose(
      context,
      { purpose: 'rubric' },
      {
        prompt: PROMPTS.review_rubric,
        maxTokens: 1_024,
        diff: await readLimitedDiff(context.subject, 10_000),
        answerSchema: RubricAnswer,
        onError: OnErrorSetting.parse(settings['review_rubric_on_error']),
      },
    );
    if ('instead' in asked) return asked.instead;
    const { scores, summary } = asked.answer;
    const composite = computeCompositeScore(scores);
    return withInjectionCheck(
      {
        outcome: composite >= PASS_FROM ? 'passed' : 'failed',
        kind: 'judged',
        findings: DIMENSIONS.filter((name) => scores[name] < PASS_FROM).map((name) => ({
          file: null,
          line: null,
          rule: name,
          message: `${scores[name]} of 10`,
        })),
        detail: `${composite} of 10, ${PASS_FROM} needed: ${summary}`,
        metadata: { ...asked.metadata, composite, needs_rework: composite < REWORK_BELOW, ...scores },
      },
      asked.injections,
    );
  },
};
