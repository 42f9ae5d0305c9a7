import type { AskReviewModel } from '../engine/ask-model-port.ts';
import { JUDGING_TIMEOUT_SECONDS } from './judging-limits.ts';

/** Milliseconds kept for what comes after the last answer. */
const AFTER_MS = 5_000;
/** With less than this there is no use in asking. */
const LEAST_MS = 2_000;

/**
 * Asks what comes one after the other within the time of all: no question may take more than what is left. What was answered before would
 * be lost, and had been paid for, if the last one took too long.
 */
export function limitCallsBySharedDeadline(
  ask: AskReviewModel,
  clock: () => number = () => performance.now(),
): AskReviewModel {
  const end = clock() + JUDGING_TIMEOUT_SECONDS * 1_000 - AFTER_MS;
  return async (model, question) => {
    const left = end - clock();
    return left < LEAST_MS
      ? {
          code: 'no_answer',
          outcome: 'timed_out',
          why: 'what was asked before has taken the time for all',
          calls: 0,
          tokens: null,
          ms: 0,
        }
      : ask(model, { ...question, timeoutMs: Math.min(question.timeoutMs, left) });
  };
}
