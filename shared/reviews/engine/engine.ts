import type * as z from 'zod';
import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import { type Judgement, judgementTimes, NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import {
  calibrationIdFor,
  JUDGE_PURPOSES,
  type JudgeModel,
  type JudgePurpose,
  judgeModelFamily,
} from '../../contract/models/judge-models.ts';
import { modelFamily } from '../../contract/models/model-family.ts';
import { askCostUsd } from './ask-cost.ts';
import type { AskModel, ModelAnswer, PromptPicture } from './ask-model-port.ts';
import type { JudgePrompt } from './prompt.ts';
import { type PieceKind, type ReviewPiece, selectPieces } from './review-piece.ts';
import { reviewQuestion } from './review-question.ts';

/** Why there is no opinion. Never a pass by itself: each reviewer states what an absence makes of the verdict. */
export type Absence =
  | { readonly code: 'no_model'; readonly purpose: JudgePurpose }
  | { readonly code: 'budget_spent'; readonly refusal: string }
  | { readonly code: 'same_family'; readonly model: string; readonly writer: string }
  | { readonly code: 'unknown_writer' }
  | {
      /** Asked, without a usable answer: a time limit, a provider's error, a refusal, or another shape. */
      readonly code: 'no_answer';
      readonly outcome: 'could_not_run' | 'timed_out' | 'infra_failed';
      readonly why: string;
    };

/** Says how a purpose gets a model: the one text for it. */
export const missingModelInstruction = (purpose: JudgePurpose): string =>
  `no model provider is configured for \`${purpose}\`: name a model in \`assay:judges\` of the deployment, or with --models FILE of \`assay up\`${JUDGE_PURPOSES[purpose].by === 'janitor' ? '' : ' and `assay check`'}`;

/** Returns the text of an absence. */
export function describeAbsence(absence: Absence): string {
  switch (absence.code) {
    case 'no_model':
      return missingModelInstruction(absence.purpose);
    case 'budget_spent':
      return absence.refusal;
    case 'same_family':
      return `${absence.model} is of the same family as ${absence.writer}, which wrote this`;
    case 'unknown_writer':
      return 'it is unknown which model wrote this, so no model is known to be of another family';
    case 'no_answer':
      return absence.why;
  }
}

export const absenceOutcome = (absence: Absence): 'could_not_run' | 'timed_out' | 'infra_failed' =>
  absence.code === 'no_answer' ? absence.outcome : 'could_not_run';

/** Whether one maker made both models: models of one maker err alike. */
export const isSameFamily = (model: Pick<JudgeModel, 'family' | 'model'>, writer: string): boolean =>
  judgeModelFamily(model) === modelFamily(writer);

export interface ReviewerChoice {
  readonly purpose: JudgePurpose;
  readonly model: JudgeModel | undefined;
  /** The model that wrote the work; null: a program or a person did. */
  readonly writer: string | null;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: string | null;
}

/** Returns the model that may be asked, or why none may. */
export function chooseReviewer({
  purpose,
  model,
  writer,
  budgetRefusal,
}: ReviewerChoice): { readonly model: JudgeModel } | { readonly absence: Absence } {
  if (!model) return { absence: { code: 'no_model', purpose } };
  if (budgetRefusal !== null) return { absence: { code: 'budget_spent', refusal: budgetRefusal } };
  return writer !== null && isSameFamily(model, writer)
    ? { absence: { code: 'same_family', model: model.model, writer } }
    : { model };
}

/** What a judgement records of its call. Costs are USD. */
export type ModelReceipt = Pick<
  Judgement,
  'model' | 'family' | 'prompt' | 'calibration' | 'calls' | 'tokens' | 'cost_usd' | 'duration_ms' | 'asked_at'
>;

/** Returns the receipt of a call: the only place that makes one. */
export const modelReceipt = (
  model: JudgeModel,
  { id, version, sha256 }: JudgePrompt | NonNullable<Judgement['prompt']>,
  answered: ModelCallUsage,
  now: Date,
): ModelReceipt => ({
  model: model.model,
  family: judgeModelFamily(model),
  prompt: { id, version, sha256 },
  calibration: calibrationIdFor(model, { sha256 }),
  calls: answered.calls,
  tokens: answered.tokens,
  cost_usd: askCostUsd(model, answered, now.toISOString()),
  ...judgementTimes(answered),
});

/** What a reviewer makes of an answer, or of having none. */
export type ReviewOpinion = Pick<
  Judgement,
  'outcome' | 'verdict' | 'confidence' | 'score' | 'reasons' | 'injections'
>;

/** One kind of opinion that models give: what differs between kinds, and nothing that they share. */
export interface Reviewer<Schema extends z.ZodType, Input> {
  readonly kind: Judgement['kind'];
  readonly subject: string;
  readonly purpose: JudgePurpose;
  readonly prompt: JudgePrompt;
  readonly answerSchema: (input: Input) => Schema;
  readonly maxTokens: number;
  readonly timeoutMs: (input: Input) => number;
  /** Kinds of pieces that it is shown, in the order in which they come. */
  readonly shows: readonly PieceKind[];
  /** Why it is asked, for the record. */
  readonly because: (input: Input) => string;
  /** An opinion that needs no model, with its reason; null: a model is asked. */
  readonly precheck?: (input: Input) => ReviewOpinion | null;
  readonly decide: (answer: z.output<Schema>, input: Input, injections: readonly string[]) => ReviewOpinion;
  readonly absent: (outcome: 'could_not_run' | 'timed_out' | 'infra_failed', why: string) => ReviewOpinion;
}

export interface ReviewerContext {
  readonly ask: AskModel;
  readonly model: JudgeModel | undefined;
  readonly writer: string | null;
  readonly budgetRefusal: string | null;
  readonly now: () => Date;
}

/** What a reviewer is shown. */
export interface ReviewMaterial {
  readonly pieces: readonly ReviewPiece[];
  readonly pictures?: readonly PromptPicture[];
}

/** Returns the opinion on an answer, or what the absence of one makes of the verdict. */
export const opinionOn = <Schema extends z.ZodType, Input>(
  reviewer: Reviewer<Schema, Input>,
  answered: ModelAnswer<z.output<Schema>>,
  input: Input,
  injections: readonly string[],
): ReviewOpinion =>
  'outcome' in answered
    ? reviewer.absent(answered.outcome, answered.why)
    : reviewer.decide(answered.value, input, injections);

/**
 * Asks one reviewer about work: precheck, choice of the model, question, receipt, decision. `load` is called only when a
 * model is asked. Every way ends in one judgement.
 */
export async function runReviewer<Schema extends z.ZodType, Input>(
  reviewer: Reviewer<Schema, Input>,
  input: Input,
  load: () => ReviewMaterial | Promise<ReviewMaterial>,
  { ask, model: configured, writer, budgetRefusal, now }: ReviewerContext,
): Promise<Judgement> {
  const { kind, subject, purpose, prompt, answerSchema, maxTokens, timeoutMs, shows } = reviewer;
  const head = { ...NO_CALL_USAGE, kind, subject, calibration: null };
  const early = reviewer.precheck?.(input) ?? null;
  if (early !== null) return { ...head, ...early, because: early.reasons.join('; ') };
  const chosen = chooseReviewer({ purpose, model: configured, writer, budgetRefusal });
  if ('absence' in chosen) {
    const why = describeAbsence(chosen.absence);
    return { ...head, ...reviewer.absent(absenceOutcome(chosen.absence), why), because: why };
  }
  const { pieces, pictures } = await load();
  const question = reviewQuestion<Schema>(
    {
      prompt,
      answerSchema: answerSchema(input),
      maxTokens,
      timeoutMs: timeoutMs(input),
      ...(pictures && { pictures }),
    },
    selectPieces(pieces, shows),
  );
  const answered = await ask(chosen.model, question);
  return {
    ...head,
    because: reviewer.because(input),
    ...opinionOn(reviewer, answered, input, question.injections),
    ...modelReceipt(chosen.model, prompt, answered, now()),
  };
}
