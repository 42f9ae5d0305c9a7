import type * as z from 'zod';
import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import {
  type Judgement,
  judgementStartAndDuration,
  UNKNOWN_MODEL_CALL_USAGE,
  USAGE_WITHOUT_MODEL_CALL,
} from '../../contract/judgement/judgement.ts';
import {
  calibrationIdFor,
  type JudgeModel,
  type JudgeModelLimits,
  judgeModelFamily,
} from '../../contract/models/judge-models.ts';
import { fenceUntrustedText } from '../../lib/fenced-prompt.ts';
import { computeJudgeCallCostUsd } from './ask-cost.ts';
import type { AskReviewModel, PromptPicture, ReviewerModelQuestion } from './ask-model-port.ts';
import { chooseReviewerModels, type ReviewerModelOptions } from './choose-models.ts';
import type { SkipReason } from './decision-reason.ts';
import {
  describeMissingOpinion,
  determineNoOpinionOutcome,
  type MissingOpinionReason,
} from './missing-opinion.ts';
import { verdictForMissingOpinion } from './opinion-verdict.ts';
import type { JudgePrompt } from './prompt.ts';
import { cutPiecesToFit, type ReviewPiece, selectPieces } from './review-piece.ts';
import type { JudgingReviewer, ModelReviewer, ReviewOpinion } from './reviewer.ts';

/** Characters of code and prose for one token, at the least. */
const CHARS_PER_TOKEN = 3;

export interface ReviewerContext extends ReviewerModelOptions {
  readonly ask: AskReviewModel;
  readonly now: () => Date;
}

/** Material that a reviewer is shown. */
export interface ReviewMaterial {
  readonly pieces: readonly ReviewPiece[];
  readonly pictures?: readonly PromptPicture[];
}

/** What a judgement records of its call. Costs are USD. */
export type ModelCallReceipt = Pick<
  Judgement,
  'model' | 'family' | 'prompt' | 'calibration' | 'calls' | 'tokens' | 'cost_usd' | 'duration_ms' | 'asked_at'
>;

/** An answer of a model that was asked, or why there is none. */
type Said<Answer> = { readonly injections: readonly string[] } & (
  | { readonly answer: Answer }
  | { readonly absence: MissingOpinionReason }
);
export type ReviewerReply<Answer> = { readonly receipt: ModelCallReceipt } & Said<Answer>;

/** The receipt where no model was called. */
export const NO_MODEL_CALL_RECEIPT: ModelCallReceipt = {
  model: null,
  family: null,
  prompt: null,
  calibration: null,
  calls: 0,
  tokens: null,
  cost_usd: null,
  duration_ms: 0,
};

/** Returns the receipt of a call: the only place that makes one. */
export const createModelCallReceipt = (
  model: JudgeModel,
  { id, version, sha256 }: JudgePrompt,
  answered: ModelCallUsage,
  now: Date,
): ModelCallReceipt => ({
  model: model.model,
  family: judgeModelFamily(model),
  prompt: { id, version, sha256 },
  calibration: calibrationIdFor(model, { sha256 }),
  calls: answered.calls,
  tokens: answered.tokens,
  cost_usd: computeJudgeCallCostUsd(model, answered, now.toISOString()),
  ...judgementStartAndDuration(answered),
});

/** Builds the question of a reviewer about this material: the only place where material is fenced. */
export function buildReviewerQuestion<Schema extends z.ZodType, Input>(
  { prompt, answerSchema, maxTokens, timeoutMs, shows, pieces: own }: ModelReviewer<Schema, Input>,
  input: Input,
  { pieces, pictures }: ReviewMaterial,
  { timeout_s, max_input_tokens, max_output_tokens }: JudgeModelLimits = {},
): ReviewerModelQuestion<Schema> {
  const selected = selectPieces([...(own?.(input) ?? []), ...pieces], shows);
  const { text, ...fence } = fenceUntrustedText(
    max_input_tokens === undefined ? selected : cutPiecesToFit(selected, max_input_tokens * CHARS_PER_TOKEN),
  );
  const settings = {
    prompt,
    answerSchema: answerSchema(input),
    maxTokens: Math.min(maxTokens, max_output_tokens ?? maxTokens),
    timeoutMs: timeout_s === undefined ? timeoutMs(input) : timeout_s * 1_000,
  };
  return { ...settings, ...(pictures && { pictures }), fencedText: text, ...fence };
}

/** Asks one model as this reviewer: the only place that asks one. */
export async function askModelAsReviewer<Schema extends z.ZodType, Input>(
  reviewer: ModelReviewer<Schema, Input>,
  input: Input,
  material: ReviewMaterial,
  model: JudgeModel,
  { ask, now }: Pick<ReviewerContext, 'ask' | 'now'>,
): Promise<ReviewerReply<z.output<Schema>>> {
  const question = buildReviewerQuestion(reviewer, input, material, model.limits);
  const answered = await ask(model, question);
  const receipt = createModelCallReceipt(model, reviewer.prompt, answered, now());
  const { injections } = question;
  if ('value' in answered) return { receipt, injections, answer: answered.value };
  const { code, outcome, why } = answered;
  return { receipt, injections, absence: { code, outcome, why } };
}

type AnyJudgingReviewer<Input extends Subject, Subject, Answer> = JudgingReviewer<
  z.ZodType,
  Input,
  Subject,
  Answer
>;
export type JudgementHeadProvider<Subject> = Pick<
  JudgingReviewer<z.ZodType, never, Subject, never>,
  'kind' | 'head' | 'absent' | 'absenceOpinion' | 'after'
>;

/** Returns why a reviewer is not asked after these judgements, or null. */
export function findEarlierFailure(
  after: JudgementHeadProvider<unknown>['after'],
  made: readonly Pick<Judgement, 'kind' | 'verdict'>[],
): SkipReason | null {
  const failed = made.find(({ kind, verdict }) => verdict === 'fail' && after?.[kind]);
  return (failed && after?.[failed.kind]) ?? null;
}

const headOf = <Subject>(
  { kind, head }: Pick<JudgementHeadProvider<Subject>, 'kind' | 'head'>,
  of: Subject,
) => ({
  ...USAGE_WITHOUT_MODEL_CALL,
  kind,
  calibration: null,
  ...head(of),
});

/** Returns what the absence of an opinion makes of the verdict: never a pass, unless the reviewer's rule lets the work on. */
export function createMissingOpinion<Subject>(
  reviewer: JudgementHeadProvider<Subject>,
  of: Subject,
  absence: MissingOpinionReason,
): ReviewOpinion {
  const why = describeMissingOpinion(absence);
  return {
    outcome: determineNoOpinionOutcome(absence),
    verdict: verdictForMissingOpinion(reviewer.absent(of)),
    confidence: null,
    reasons: [why],
    ...reviewer.absenceOpinion?.(why),
  };
}

/** The judgement of a reviewer that no model answered for. */
export const createJudgementWithoutOpinion = <Subject>(
  reviewer: JudgementHeadProvider<Subject>,
  of: Subject,
  absence: MissingOpinionReason,
): Judgement => ({
  ...headOf(reviewer, of),
  ...(absence.code === 'not_returned' && { calls: UNKNOWN_MODEL_CALL_USAGE.calls }),
  ...createMissingOpinion(reviewer, of, absence),
  request_reason: describeMissingOpinion(absence),
});

/** The judgement of a reviewer that is not needed: its opinion could change nothing. */
export const createSkippedJudgement = <Subject>(
  reviewer: Pick<JudgementHeadProvider<Subject>, 'kind' | 'head'>,
  of: Subject,
  because: string,
): Judgement => ({
  ...headOf(reviewer, of),
  outcome: 'skipped',
  verdict: 'pass',
  reasons: [because],
  request_reason: because,
});

/**
 * Returns the opinion on an answer, or on its absence. Where the material tried to talk the model over, an opinion lets
 * nothing out: a reviewer looks at it.
 */
export function formOpinionOnAnswer<Input extends Subject, Subject, Answer>(
  reviewer: Pick<AnyJudgingReviewer<Input, Subject, Answer>, 'decide' | keyof JudgementHeadProvider<Subject>>,
  input: Input,
  review: Said<Answer>,
): ReviewOpinion & Pick<Judgement, 'injections'> {
  const injections = [...review.injections];
  if ('absence' in review) return { ...createMissingOpinion(reviewer, input, review.absence), injections };
  const opinion = reviewer.decide(review.answer, input);
  const isReferred =
    injections.length > 0 && opinion.verdict === 'pass' && reviewer.absent(input) !== 'abstain';
  return {
    ...opinion,
    verdict: isReferred ? 'refer' : opinion.verdict,
    reasons: [...opinion.reasons.map((reason) => reason.toWellFormed()), ...injections],
    injections,
  };
}

/** The judgement of a reviewer that was asked. */
export const createJudgementOnAnswer = <Input extends Subject, Subject, Answer>(
  reviewer: Pick<
    AnyJudgingReviewer<Input, Subject, Answer>,
    'decide' | 'because' | keyof JudgementHeadProvider<Subject>
  >,
  input: Input,
  review: ReviewerReply<Answer>,
): Judgement => ({
  ...headOf(reviewer, input as Subject),
  request_reason: reviewer.because(input),
  ...formOpinionOnAnswer(reviewer, input, review),
  ...review.receipt,
});

/**
 * Runs a reviewer: precheck, choice of the model, question, decision. `askAs` puts the question to a model that may be
 * asked. Every way ends in one judgement.
 */
export async function runReviewerWithQuestions<
  Schema extends z.ZodType,
  Input extends Subject,
  Subject,
  Answer,
>(
  reviewer: JudgingReviewer<Schema, Input, Subject, Answer>,
  input: Input,
  context: ReviewerContext,
  askAs: (model: JudgeModel) => Promise<ReviewerReply<Answer>>,
): Promise<Judgement> {
  const early = reviewer.precheck?.(input) ?? null;
  if (early !== null && 'reasons' in early)
    return { ...headOf(reviewer, input as Subject), request_reason: early.reasons.join('; '), ...early };
  const chosen = early === null ? chooseReviewerModels(reviewer, context) : { absence: early };
  return 'absence' in chosen
    ? createJudgementWithoutOpinion(reviewer, input as Subject, chosen.absence)
    : createJudgementOnAnswer(reviewer, input, await askAs(chosen.models[0]));
}

/** Asks a reviewer that gives no judgement of its own. */
export async function askReviewerWithoutJudgement<Schema extends z.ZodType, Input>(
  reviewer: ModelReviewer<Schema, Input>,
  input: Input,
  material: ReviewMaterial,
  context: ReviewerContext,
): Promise<ReviewerReply<z.output<Schema>>> {
  const chosen = chooseReviewerModels(reviewer, context);
  return 'absence' in chosen
    ? { receipt: NO_MODEL_CALL_RECEIPT, injections: [], absence: chosen.absence }
    : askModelAsReviewer(reviewer, input, material, chosen.models[0], context);
}

/** Runs a reviewer that asks one question. `load` is called only when a model is asked. */
export const runSingleQuestionReviewer = <Schema extends z.ZodType, Input extends Subject, Subject>(
  reviewer: JudgingReviewer<Schema, Input, Subject>,
  input: Input,
  load: () => ReviewMaterial | Promise<ReviewMaterial | MissingOpinionReason>,
  context: ReviewerContext,
): Promise<Judgement> =>
  runReviewerWithQuestions(reviewer, input, context, async (model) => {
    const material = await load();
    return 'code' in material
      ? { receipt: NO_MODEL_CALL_RECEIPT, injections: [], absence: material }
      : askModelAsReviewer(reviewer, input, material, model, context);
  });
