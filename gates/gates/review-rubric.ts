import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { PROMPTS } from '../../shared/reviews/judging/prompts.ts';
import type { Gate } from '../core/gate.ts';
import { askAbout, NOTHING_TO_JUDGE, opinion } from '../rules/llm/ask.ts';
import { shownDiff } from '../rules/llm/diff.ts';

/** Weight of each dimension; together 1. */
export const RUBRIC_WEIGHTS = {
  style_compliance: 0.15,
  correctness: 0.35,
  performance_impact: 0.15,
  security: 0.25,
  maintainability: 0.1,
} as const;
type Dimension = keyof typeof RUBRIC_WEIGHTS;
const DIMENSIONS = Object.keys(RUBRIC_WEIGHTS) as Dimension[];

const PASS_FROM = 6;
const REWORK_BELOW = 4;

const Score = z.number().min(0).max(10);
/** A dimension that is missing, or off the scale, makes the answer unreadable: nobody makes up a score for it. */
const Answer = z.strictObject({
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
export const compositeOf = (scores: Readonly<Record<Dimension, number>>): number =>
  Math.round(DIMENSIONS.reduce((sum, name) => sum + RUBRIC_WEIGHTS[name] * scores[name], 0) * 100) / 100;

/** Marks for the patch in five dimensions, in a model's opinion. */
export const reviewRubric: Gate = {
  name: 'review_rubric',
  flag: 'review_rubric',
  on: false,
  required: true,
  condition: 'code_changed',
  settings: { review_rubric: z.boolean().optional(), review_rubric_on_error: OnErrorSetting },
  judged: true,
  run: async (context, settings) => {
    if (context.subject.changes.length === 0) return NOTHING_TO_JUDGE;
    const asked = await askAbout(
      context,
      { purpose: 'rubric' },
      {
        prompt: PROMPTS.review_rubric,
        maxTokens: 1_024,
        diff: await shownDiff(context.subject, 10_000),
        answer: Answer,
        onError: OnErrorSetting.parse(settings['review_rubric_on_error']),
      },
    );
    if ('instead' in asked) return asked.instead;
    const { scores, summary } = asked.answer;
    const composite = compositeOf(scores);
    return opinion(
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
