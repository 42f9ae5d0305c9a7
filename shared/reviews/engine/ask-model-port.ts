import type * as z from 'zod';
import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import type { UnusableAnswerReason } from './missing-opinion.ts';
import type { JudgePrompt } from './prompt.ts';

/** A picture that a model is shown. Whoever shows one has read it to its end. */
export interface PromptPicture {
  readonly png: Uint8Array;
}

/** One question, with the only shape that an answer may have. */
export interface ReviewerModelQuestion<Schema extends z.ZodType> {
  readonly prompt: JudgePrompt;
  /** The pieces, each between marks; see `buildReviewerQuestion`. */
  readonly fencedText: string;
  readonly boundary: string;
  readonly injections: readonly string[];
  /** In their order, behind the material; absent: none. */
  readonly pictures?: readonly PromptPicture[];
  readonly answerSchema: Schema;
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

/** An answer of the shape that was asked for, or why there is none. */
export type ModelAnswer<T> = ModelCallUsage & ({ readonly value: T } | UnusableAnswerReason);

/** Puts a question to a model. Never throws for what a provider does. */
export type AskReviewModel = <Schema extends z.ZodType>(
  model: JudgeModel,
  question: ReviewerModelQuestion<Schema>,
) => Promise<ModelAnswer<z.output<Schema>>>;
