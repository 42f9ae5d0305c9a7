import { JUDGE_PROMPTS, type PromptId } from '../../shared/reviews/judging/prompts.ts';

/** Tells from a request, or its instruction, whether it asks by a prompt. Only the first line is looked for: requests escape others. */
export const isAskedBy = (prompt: PromptId, request: string): boolean =>
  request.includes(JUDGE_PROMPTS[prompt].text.split('\n', 1)[0] ?? '');
