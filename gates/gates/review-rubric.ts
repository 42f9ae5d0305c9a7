import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { REVIEW_RUBRIC } from '../../shared/reviews/reviewers/review-rubric.ts';
import type { Gate } from '../core/gate.ts';
import { readLimitedDiff } from '../rules/llm/patch-diff.ts';
import { EMPTY_DIFF_RESULT, reviewPatch } from '../rules/llm/review-patch.ts';

/** Scores of the patch in five dimensions, in a model's opinion. */
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
    return reviewPatch(REVIEW_RUBRIC, { timeoutMs: context.timeoutMs }, context, {
      diff: await readLimitedDiff(context.subject, 10_000),
      onError: OnErrorSetting.parse(settings['review_rubric_on_error']),
    });
  },
};
