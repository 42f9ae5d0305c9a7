import type * as z from 'zod';
import type { Spent } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/models.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Prompt } from './prompt.ts';

/** A picture that a model is shown. Whoever shows one has read it to its end. */
export interface Picture {
  readonly png: Uint8Array;
}

/** One question, with the only shape that an answer may have. */
export interface Question<Schema extends z.ZodType> {
  readonly prompt: Prompt;
  /** Fenced; see material.ts. */
  readonly material: string;
  readonly boundary: string;
  readonly injections: readonly string[];
  /** In their order, behind the material; absent: none. */
  readonly pictures?: readonly Picture[];
  readonly answer: Schema;
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

/** An answer of the shape that was asked for, or why there is none. */
export type Answered<T> = Spent &
  (
    | { readonly value: T }
    | {
        readonly outcome: Extract<Outcome, 'inert' | 'timed_out' | 'infra_failed'>;
        readonly why: string;
      }
  );

/** Puts a question to a model. Never throws for what a provider does. */
export type AskModel = <Schema extends z.ZodType>(
  model: JudgeModel,
  question: Question<Schema>,
) => Promise<Answered<z.output<Schema>>>;

/** What an answer has used, without the answer. */
export const spentOn = ({ calls, tokens, ms, asked_at }: Spent): Spent => ({
  calls,
  tokens,
  ms,
  ...(asked_at !== undefined && { asked_at }),
});
