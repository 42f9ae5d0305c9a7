import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { PROMPTS } from '../../shared/reviews/judging/prompts.ts';
import type { Gate } from '../core/gate.ts';
import { askModelForPurpose, EMPTY_DIFF_RESULT, withInjectionCheck } from '../rules/llm/ask-model.ts';
import { readLimitedDiff } from '../rules/llm/patch-diff.ts';

const Settings = z.strictObject({
  enabled: z.boolean().optional(),
  /** One of the models that are configured; absent: that for `intent`. */
  model: z.string().trim().min(1).max(200).optional(),
  block_on_no: z.boolean().default(true),
  block_on_partial: z.boolean().default(false),
  on_error: OnErrorSetting,
});

const IntentAnswer = z.strictObject({
  reason: z.string().max(4_000),
  verdict: z.enum(['yes', 'partially', 'no']),
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
    const { model, block_on_no, block_on_partial, on_error } = Settings.parse(
      settings['intent_verification'] ?? {},
    );
    if (context.subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    const asked = await askModelForPurpose(
      context,
      { purpose: 'intent', model },
      {
        prompt: PROMPTS.intent_verification,
        maxTokens: 256,
        diff: await readLimitedDiff(context.subject, 8_000),
        answerSchema: IntentAnswer,
        onError: on_error,
      },
    );
    if ('instead' in asked) return asked.instead;
    const { verdict, reason } = asked.answer;
    const fails = (verdict === 'no' && block_on_no) || (verdict === 'partially' && block_on_partial);
    return withInjectionCheck(
      {
        outcome: fails ? 'failed' : 'passed',
        kind: 'judged',
        findings:
          verdict === 'yes' ? [] : [{ file: null, line: null, rule: `intent_${verdict}`, message: reason }],
        detail: `${verdict}: ${reason}`,
        metadata: { ...asked.metadata, verdict },
      },
      asked.injections,
    );
  },
};
