import * as z from 'zod';
import { CheckOnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { REVIEW_RUBRIC_REVIEWER } from '../../shared/reviews/reviewers/review-rubric.ts';
import type { Gate } from '../core/gate.ts';
import { readPatchDiffExcerpt } from '../rules/llm/patch-diff.ts';
import { EMPTY_DIFF_RESULT, reviewPatch } from '../rules/llm/review-patch.ts';

/** Scores of the patch in five dimensions, in a model's opinion. */
export const reviewRubricGate: Gate = {
  name: 'review_rubric',
  configKey: 'review_rubric',
  enabledByDefault: false,
  required: true,
  condition: 'code_changed',
  settings: { review_rubric: z.boolean().optional(), review_rubric_on_error: CheckOnErrorSetting },
  asksModel: true,
  run: async (context, settings) => {
    if (context.subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    return reviewPatch(REVIEW_RUBRIC_REVIEWER, { timeoutMs: context.timeoutMs }, context, {
      diff: await readPatchDiffExcerpt(context.subject, 10_000),
      onError: CheckOnErrorSetting.parse(settings['review_rubric_on_error']),
    });
  },
};
