import * as z from 'zod';
import { CheckOnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { INTENT_VERIFICATION_REVIEWER } from '../../shared/reviews/reviewers/intent-verification.ts';
import type { Gate } from '../core/gate.ts';
import { readPatchDiffExcerpt } from '../rules/llm/patch-diff.ts';
import { EMPTY_DIFF_RESULT, reviewPatch } from '../rules/llm/review-patch.ts';

const Settings = z.strictObject({
  enabled: z.boolean().optional(),
  /** One of the models that are configured; absent: that for `intent`. */
  model: z.string().trim().min(1).max(200).optional(),
  block_on_no: z.boolean().default(true),
  block_on_partial: z.boolean().default(false),
  on_error: CheckOnErrorSetting,
});

/** Whether the patch does what the task asks, in a model's opinion. */
export const intentVerificationGate: Gate = {
  name: 'intent_verification',
  configKey: 'intent_verification.enabled',
  enabledByDefault: false,
  required: true,
  condition: 'any_changed',
  settings: { intent_verification: Settings.optional() },
  asksModel: true,
  run: async (context, settings) => {
    const { model, on_error, ...blocking } = Settings.parse(settings['intent_verification'] ?? {});
    if (context.subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    const { timeoutMs } = context;
    return reviewPatch(INTENT_VERIFICATION_REVIEWER, { ...blocking, timeoutMs }, context, {
      diff: await readPatchDiffExcerpt(context.subject, 8_000),
      named: model,
      onError: on_error,
    });
  },
};
