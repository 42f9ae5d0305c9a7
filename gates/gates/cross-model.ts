import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { VotingRules } from '../../shared/reviews/judging/voting.ts';
import type { Gate } from '../core/gate.ts';
import { EMPTY_DIFF_RESULT } from '../rules/llm/ask-model.ts';

const CrossModelSettings = z.strictObject({
  enabled: z.boolean().optional(),
  /** The reviewer, one of the models that are configured; absent: those for `cross_model`, by the mapping. */
  model: z.string().trim().min(1).max(200).optional(),
  /** False: what it wants changed is noted, and nothing else. */
  block_on_issues: z.boolean().default(true),
  max_diff_chars: z.number().int().min(1_000).max(100_000).default(12_000),
  max_tokens: z.number().int().min(64).max(8_192).default(512),
  voting: VotingRules.prefault({}),
  on_error: OnErrorSetting,
});

/** A review of the patch by models of another family than the one that wrote it. */
export const crossModelGate: Gate = {
  name: 'cross_model',
  configKey: 'cross_model.enabled',
  enabledByDefault: false,
  required: true,
  condition: 'any_changed',
  settings: { cross_model: CrossModelSettings.optional() },
  asksModel: true,
  run: async (context, settings) => {
    if (context.subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    const { runCrossModelReview } = await import('../rules/llm/cross-model-review.ts');
    return runCrossModelReview(context, CrossModelSettings.parse(settings['cross_model'] ?? {}));
  },
};
