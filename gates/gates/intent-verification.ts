import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { askAbout, NOTHING_TO_JUDGE } from '../rules/llm/ask.ts';

const Settings = z.strictObject({
  enabled: z.boolean().optional(),
  /** A model of the provider; absent: its choice. */
  model: z.string().trim().min(1).max(200).optional(),
  block_on_no: z.boolean().default(true),
  block_on_partial: z.boolean().default(false),
});

const Answer = z.strictObject({
  verdict: z.enum(['yes', 'partially', 'no']),
  reason: z.string().max(4_000).default(''),
});

const INSTRUCTION =
  'You compare a change of code with the task that it was made for. Say whether the change does what the task asks: "yes", "partially" or "no". Answer as {"verdict": "yes" | "partially" | "no", "reason": "<one or two sentences>"}.';

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
    const { model, block_on_no, block_on_partial } = Settings.parse(settings['intent_verification'] ?? {});
    if (context.subject.changes.length === 0) return NOTHING_TO_JUDGE;
    const asked = await askAbout(context, {
      instruction: INSTRUCTION,
      maxTokens: 256,
      temperature: 0,
      model: model ?? null,
      diffCharacters: 8_000,
      answer: Answer,
    });
    if ('instead' in asked) return asked.instead;
    const { verdict, reason } = asked.answer;
    const fails = (verdict === 'no' && block_on_no) || (verdict === 'partially' && block_on_partial);
    return {
      outcome: fails ? 'failed' : 'passed',
      kind: 'judged',
      findings:
        verdict === 'yes' ? [] : [{ file: null, line: null, rule: `intent_${verdict}`, message: reason }],
      detail: `${verdict}: ${reason}`,
      metadata: { ...asked.metadata, verdict },
    };
  },
};
