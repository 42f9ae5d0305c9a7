import { Challenge } from '../../contract/exam.ts';
import type { ModelReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';

/**
 * Tries to prove a patch wrong by tests that code repeats. It has one way: an agent CLI in a container of its own, whose answer is
 * files. Tokens are limited by its budget at the gateway.
 */
export const CHALLENGER_REVIEWER = {
  kind: 'challenger',
  purpose: 'challenger',
  family: 'other',
  prompt: JUDGE_PROMPTS.challenger,
  answerSchema: () => Challenge,
  maxTokens: 64_000,
  timeoutMs: () => 1_200_000,
  shows: ['task', 'base', 'failing_test'],
} satisfies ModelReviewer<typeof Challenge, undefined>;
