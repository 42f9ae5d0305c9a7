import * as z from 'zod';
import { CheckOnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import { determineNoOpinionOutcome } from '../../shared/reviews/engine/missing-opinion.ts';
import { VotingRules } from '../../shared/reviews/engine/votes.ts';
import { excerptDiffByWholeFiles } from '../../shared/reviews/judging/diff-excerpt.ts';
import { CROSS_MODEL_REVIEWER } from '../../shared/reviews/reviewers/cross-model.ts';
import type { Gate } from '../core/gate.ts';
import { readPatchDiff } from '../rules/llm/patch-diff.ts';
import {
  askModelsAboutPatch,
  buildReviewMetadata,
  createNoOpinionResult,
  createOpinionResult,
  EMPTY_DIFF_RESULT,
} from '../rules/llm/review-patch.ts';

const CrossModelSettings = z.strictObject({
  enabled: z.boolean().optional(),
  /** The reviewer, one of the models that are configured; absent: those for `cross_model`, by the mapping. */
  model: z.string().trim().min(1).max(200).optional(),
  /** False: what it wants changed is noted, and nothing else. */
  block_on_issues: z.boolean().default(true),
  max_diff_chars: z.number().int().min(1_000).max(100_000).default(12_000),
  max_tokens: z.number().int().min(64).max(8_192).default(512),
  voting: VotingRules.prefault({}),
  on_error: CheckOnErrorSetting,
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
    const { subject, timeoutMs, task } = context;
    if (subject.changes.length === 0) return EMPTY_DIFF_RESULT;
    const { model, max_diff_chars, max_tokens, on_error, ...rules } = CrossModelSettings.parse(
      settings['cross_model'] ?? {},
    );
    const diff = excerptDiffByWholeFiles(await readPatchDiff(subject), max_diff_chars);
    const asked = {
      diff,
      named: model,
      count: model === undefined ? rules.voting.reviewers : 1,
      onError: on_error,
    };
    const input = { ...rules, timeoutMs, leftOut: diff.leftOut };
    const reviews = await askModelsAboutPatch(
      { ...CROSS_MODEL_REVIEWER, maxTokens: max_tokens },
      input,
      context,
      asked,
    );
    const { facts: decided, ...opinion } = CROSS_MODEL_REVIEWER.decide(reviews, input);
    const facts = { ...decided, writer: task?.writer ?? null, files_left_out: diff.leftOut.length };
    if (facts.verdict !== 'nobody') return createOpinionResult({ ...opinion, facts }, reviews, asked);
    // No vote was cast. A fault of a provider is not the fault of a reviewer.
    const outcomes = reviews.flatMap((review) =>
      'absence' in review ? [determineNoOpinionOutcome(review.absence)] : [],
    );
    const outcome = outcomes.find((each) => each !== 'could_not_run') ?? 'could_not_run';
    return createNoOpinionResult({ outcome, detail: opinion.detail }, asked, {
      ...buildReviewMetadata(reviews, diff),
      ...facts,
    });
  },
};
