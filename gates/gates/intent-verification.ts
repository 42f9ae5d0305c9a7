import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { PROMPTS } from '../../shared/reviews/judging/prompts.ts';
import type { Gate } from '../core/gate.ts';
import { askAbout, NOTHING_TO_JUDGE, opinion } from '../rules/llm/ask.ts';
import { shownDiff } from '../rules/llm/diff.ts';

const Settings = z.strictObject({
  enabled: z.boolean().optional(),
  /** One of the models that are configured; absent: that for `intent`. */
  model: z.string().trim().min(1).max(200).optional(),
  block_on_no: z.boolean().default(true),
  block_on_partial: z.boolean().default(false),
  on_error: OnErrorSetting,
});

const Answer = z.strictObject({
  reason: z.string().max(4_000),
  verdict: z.enum(['yes', 'partially', 'no']),
});

/** Whether the patch does what the task asks, in a model's opinion. */
export const intentVerification: Gate = {
  name: 'intent_verification',
  flag: 'intent_verification.enabled',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { intent_verification: Settings.optional() },
  judged: true,
  run: async (context, settings) => {
    const { model, block_on_no, block_on_partial, on_error } = Settings.parse(
      settings['intent_verification'] ?? {},
    );
    if (context.subject.changes.length === 0) return NOTHING_TO_JUDGE;
    const asked = await askAbout(
      context,
      { purpose: 'intent', model },
      {
        prompt: PROMPTS.intent_verification,
        maxTokens: 256,
        diff: await shownDiff(context.subject, 8_000),
        answer: Answer,
        onError: on_error,
      },
    );
    if ('instead' in asked) return asked.instead;
    const { verdict, reason } = asked.answer;
    const fails = (verdict === 'no' && block_on_no) || (verdict === 'partially' && block_on_partial);
    return opinion(
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
