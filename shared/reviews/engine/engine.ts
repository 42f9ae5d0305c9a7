import type * as z from 'zod';
import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import {
  type Judgement,
  judgementTimes,
  NO_CALL_USAGE,
  UNKNOWN_CALL_USAGE,
} from '../../contract/judgement/judgement.ts';
import { calibrationIdFor, type JudgeModel, judgeModelFamily } from '../../contract/models/judge-models.ts';
import { fencePrompt } from '../../lib/fenced-prompt.ts';
import { type Absence, absenceOutcome, describeAbsence } from './absence.ts';
import { askCostUsd } from './ask-cost.ts';
import type { AskModel, PromptPicture, ReviewQuestion } from './ask-model-port.ts';
import { chooseModels, type ModelSelection } from './choose-models.ts';
import type { SkipReason } from './decision-reason.ts';
import { verdictWithoutOpinion } from './opinion-verdict.ts';
import type { JudgePrompt } from './prompt.ts';
import { type ReviewPiece, selectPieces } from './review-piece.ts';
import type { JudgingReviewer, Reviewer, ReviewOpinion } from './reviewer.ts';

export interface ReviewerContext extends ModelSelection {
  readonly ask: AskModel;
  readonly now: () => Date;
}

/** Material that a reviewer is shown. */
export interface ReviewMaterial {
  readonly pieces: readonly ReviewPiece[];
  readonly pictures?: readonly PromptPicture[];
}

/** What a judgement records of its call. Costs are USD. */
export type ModelReceipt = Pick<
  Judgement,
  'model' | 'family' | 'prompt' | 'calibration' | 'calls' | 'tokens' | 'cost_usd' | 'duration_ms' | 'asked_at'
>;

/** An answer of a model that was asked, or why there is none. */
type Said<Answer> = { readonly injections: readonly string[] } & (
  | { readonly answer: Answer }
  | { readonly absence: Absence }
);
export type Review<Answer> = { readonly receipt: ModelReceipt } & Said<Answer>;

/** The receipt where no model was called. */
export const NO_CALL: ModelReceipt = {
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
export const modelReceipt = (
  model: JudgeModel,
  { id, version, sha256 }: JudgePrompt,
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

/** Builds the question of a reviewer about this material: the only place where material is fenced. */
export function questionOf<Schema extends z.ZodType, Input>(
  { prompt, answerSchema, maxTokens, timeoutMs, shows, pieces: own }: Reviewer<Schema, Input>,
  input: Input,
  { pieces, pictures }: ReviewMaterial,
): ReviewQuestion<Schema> {
  const { text, ...fence } = fencePrompt(selectPieces([...(own?.(input) ?? []), ...pieces], shows));
  const settings = { prompt, answerSchema: answerSchema(input), maxTokens, timeoutMs: timeoutMs(input) };
  return { ...settings, ...(pictures && { pictures }), fencedText: text, ...fence };
}

/** Asks one model as this reviewer: the only place that asks one. */
export async function askModelAs<Schema extends z.ZodType, Input>(
  reviewer: Reviewer<Schema, Input>,
  input: Input,
  material: ReviewMaterial,
  model: JudgeModel,
  { ask, now }: Pick<ReviewerContext, 'ask' | 'now'>,
): Promise<Review<z.output<Schema>>> {
  const question = questionOf(reviewer, input, material);
  const answered = await ask(model, question);
  const receipt = modelReceipt(model, reviewer.prompt, answered, now());
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
export type Headed<Subject> = Pick<
  JudgingReviewer<z.ZodType, never, Subject, never>,
  'kind' | 'head' | 'absent' | 'absenceOpinion' | 'after'
>;

/** Returns why a reviewer is not asked after these judgements, or null. */
export function failureBefore(
  after: Headed<unknown>['after'],
  made: readonly Pick<Judgement, 'kind' | 'verdict'>[],
): SkipReason | null {
  const failed = made.find(({ kind, verdict }) => verdict === 'fail' && after?.[kind]);
  return (failed && after?.[failed.kind]) ?? null;
}

const headOf = <Subject>({ kind, head }: Pick<Headed<Subject>, 'kind' | 'head'>, of: Subject) => ({
  ...NO_CALL_USAGE,
  kind,
  calibration: null,
  ...head(of),
});

/** Returns what the absence of an opinion makes of the verdict: never a pass, unless the reviewer's rule lets the work on. */
export function absenceOpinion<Subject>(
  reviewer: Headed<Subject>,
  of: Subject,
  absence: Absence,
): ReviewOpinion {
  const why = describeAbsence(absence);
  return {
    outcome: absenceOutcome(absence),
    verdict: verdictWithoutOpinion(reviewer.absent(of)),
    confidence: null,
    reasons: [why],
    ...reviewer.absenceOpinion?.(why),
  };
}

/** The judgement of a reviewer that no model answered for. */
export const absentJudgement = <Subject>(
  reviewer: Headed<Subject>,
  of: Subject,
  absence: Absence,
): Judgement => ({
  ...headOf(reviewer, of),
  ...(absence.code === 'not_returned' && { calls: UNKNOWN_CALL_USAGE.calls }),
  ...absenceOpinion(reviewer, of, absence),
  because: describeAbsence(absence),
});

/** The judgement of a reviewer that is not needed: its opinion could change nothing. */
export const skippedJudgement = <Subject>(
  reviewer: Pick<Headed<Subject>, 'kind' | 'head'>,
  of: Subject,
  because: string,
): Judgement => ({
  ...headOf(reviewer, of),
  outcome: 'skipped',
  verdict: 'pass',
  reasons: [because],
  because,
});

/**
 * Returns the opinion on an answer, or on its absence. Where the material tried to talk the model over, an opinion lets
 * nothing out: a reviewer looks at it.
 */
export function opinionOn<Input extends Subject, Subject, Answer>(
  reviewer: Pick<AnyJudgingReviewer<Input, Subject, Answer>, 'decide' | keyof Headed<Subject>>,
  input: Input,
  review: Said<Answer>,
): ReviewOpinion & Pick<Judgement, 'injections'> {
  const injections = [...review.injections];
  if ('absence' in review) return { ...absenceOpinion(reviewer, input, review.absence), injections };
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
export const judgementOn = <Input extends Subject, Subject, Answer>(
  reviewer: Pick<AnyJudgingReviewer<Input, Subject, Answer>, 'decide' | 'because' | keyof Headed<Subject>>,
  input: Input,
  review: Review<Answer>,
): Judgement => ({
  ...headOf(reviewer, input as Subject),
  because: reviewer.because(input),
  ...opinionOn(reviewer, input, review),
  ...review.receipt,
});

/**
 * Runs a reviewer: precheck, choice of the model, question, decision. `askAs` puts the question to a model that may be
 * asked. Every way ends in one judgement.
 */
export async function runReviewerWith<Schema extends z.ZodType, Input extends Subject, Subject, Answer>(
  reviewer: JudgingReviewer<Schema, Input, Subject, Answer>,
  input: Input,
  context: ReviewerContext,
  askAs: (model: JudgeModel) => Promise<Review<Answer>>,
): Promise<Judgement> {
  const early = reviewer.precheck?.(input) ?? null;
  if (early !== null && 'reasons' in early)
    return { ...headOf(reviewer, input as Subject), because: early.reasons.join('; '), ...early };
  const chosen = early === null ? chooseModels(reviewer, context) : { absence: early };
  return 'absence' in chosen
    ? absentJudgement(reviewer, input as Subject, chosen.absence)
    : judgementOn(reviewer, input, await askAs(chosen.models[0]));
}

/** Asks a reviewer that gives no judgement of its own. */
export async function askReviewer<Schema extends z.ZodType, Input>(
  reviewer: Reviewer<Schema, Input>,
  input: Input,
  material: ReviewMaterial,
  context: ReviewerContext,
): Promise<Review<z.output<Schema>>> {
  const chosen = chooseModels(reviewer, context);
  return 'absence' in chosen
    ? { receipt: NO_CALL, injections: [], absence: chosen.absence }
    : askModelAs(reviewer, input, material, chosen.models[0], context);
}

/** Runs a reviewer that asks one question. `load` is called only when a model is asked. */
export const runReviewer = <Schema extends z.ZodType, Input extends Subject, Subject>(
  reviewer: JudgingReviewer<Schema, Input, Subject>,
  input: Input,
  load: () => ReviewMaterial | Promise<ReviewMaterial | Absence>,
  context: ReviewerContext,
): Promise<Judgement> =>
  runReviewerWith(reviewer, input, context, async (model) => {
    const material = await load();
    return 'code' in material
      ? { receipt: NO_CALL, injections: [], absence: material }
      : askModelAs(reviewer, input, material, model, context);
  });
