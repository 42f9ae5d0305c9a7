import * as z from 'zod';
import type { GateReviewer, GateReviewInput } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { GATE_REVIEWER_DEFAULTS } from './gate-review-defaults.ts';

const IntentAnswer = z.strictObject({
  reason: z.string().max(4_000),
  verdict: z.enum(['yes', 'partially', 'no']),
});

interface IntentInput extends GateReviewInput {
  readonly block_on_no: boolean;
  readonly block_on_partial: boolean;
}

/** Compares the patch with what the task asks. */
export const INTENT_VERIFICATION_REVIEWER = {
  ...GATE_REVIEWER_DEFAULTS,
  kind: 'intent_verification',
  purpose: 'intent',
  prompt: JUDGE_PROMPTS.intent_verification,
  answerSchema: () => IntentAnswer,
  maxTokens: 256,
  decide: ({ verdict, reason }, { block_on_no, block_on_partial }) => ({
    outcome:
      (verdict === 'no' && block_on_no) || (verdict === 'partially' && block_on_partial)
        ? 'failed'
        : 'passed',
    findings:
      verdict === 'yes' ? [] : [{ file: null, line: null, rule: `intent_${verdict}`, message: reason }],
    detail: `${verdict}: ${reason}`,
    facts: { verdict },
  }),
} satisfies GateReviewer<typeof IntentAnswer, IntentInput>;
