import type * as z from 'zod';
import type { JudgeModel } from '../../../shared/contract/models/judge-models.ts';
import type { CheckErrorAction } from '../../../shared/contract/submission/on-error.ts';
import { truncateToBytes } from '../../../shared/lib/truncate.ts';
import { combineModelCallReceipts } from '../../../shared/reviews/engine/both-orders.ts';
import { chooseReviewerModels } from '../../../shared/reviews/engine/choose-models.ts';
import {
  askModelAsReviewer,
  NO_MODEL_CALL_RECEIPT,
  type ReviewerReply,
} from '../../../shared/reviews/engine/engine.ts';
import {
  determineNoOpinionOutcome,
  type MissingOpinionReason,
  type NoOpinionOutcome,
} from '../../../shared/reviews/engine/missing-opinion.ts';
import type { ReviewPiece } from '../../../shared/reviews/engine/review-piece.ts';
import type { GateOpinion, GateReviewer, GateReviewInput } from '../../../shared/reviews/engine/reviewer.ts';
import type { DiffExcerpt } from '../../../shared/reviews/judging/diff-excerpt.ts';
import { describeMissingGateOpinion } from '../../../shared/reviews/reviewers/gate-review-defaults.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';

const MAX_DESCRIPTION = 2_000;
const MAX_DETAIL = 2_000;

export interface PatchReviewSettings {
  readonly diff: DiffExcerpt;
  /** The model that the base's configuration asks for; absent: those that serve the purpose. */
  readonly named?: string | undefined;
  /** The number of models that are asked; absent: one. */
  readonly count?: number;
  readonly onError?: CheckErrorAction | undefined;
}

/** The answers about a patch, at least one: also for a model that was not asked. */
export type PatchReviews<Answer> = readonly [ReviewerReply<Answer>, ...ReviewerReply<Answer>[]];

const taskPieces = ({ task }: GateContext): ReviewPiece[] =>
  task
    ? [
        { kind: 'task', label: 'title of the task', text: task.title },
        {
          kind: 'task',
          label: 'description of the task',
          text: truncateToBytes(task.description, MAX_DESCRIPTION),
        },
      ]
    : [{ kind: 'task', label: 'task', text: '(no task is known: judge by the diff alone)' }];

/** Asks models about the patch, as this reviewer. */
export async function askModelsAboutPatch<Schema extends z.ZodType, Input extends GateReviewInput>(
  reviewer: GateReviewer<Schema, Input, never>,
  input: Input,
  context: GateContext,
  { diff, named, count = 1 }: PatchReviewSettings,
): Promise<PatchReviews<z.output<Schema>>> {
  const { judge, task } = context;
  const writer = task?.writer ?? null;
  const chosen = chooseReviewerModels(reviewer, {
    models: judge?.models ?? {},
    writer,
    budgetRefusal: null,
    named,
    count,
  });
  if (!judge || 'absence' in chosen) {
    const absence: MissingOpinionReason =
      'absence' in chosen ? chosen.absence : { code: 'no_model', purpose: reviewer.purpose, named };
    return [{ receipt: NO_MODEL_CALL_RECEIPT, injections: [], absence }];
  }
  const pieces: ReviewPiece[] = [...taskPieces(context), { kind: 'diff', label: 'diff', text: diff.text }];
  const [first, ...others] = chosen.models;
  const ask = (model: JudgeModel) =>
    askModelAsReviewer(reviewer, input, { pieces }, model, { ask: judge.ask, now: () => new Date() });
  return Promise.all([ask(first), ...others.slice(0, count - 1).map(ask)]);
}

/** Returns the record of the calls, summed where there were several. */
export function buildReviewMetadata(
  reviews: PatchReviews<unknown>,
  diff: DiffExcerpt,
): NonNullable<GateResult['facts']> {
  const receipts = reviews.map(({ receipt }) => receipt);
  const [first = NO_MODEL_CALL_RECEIPT, ...others] = receipts;
  if (first.model === null) return {};
  const { prompt, calls, tokens, cost_usd } = combineModelCallReceipts(first, ...others);
  return {
    tool: 'model',
    tool_version: receipts.map(({ model }) => model).join(', '),
    family: [...new Set(receipts.map(({ family }) => family))].join(', '),
    prompt: prompt?.id ?? null,
    prompt_version: prompt?.version ?? null,
    prompt_sha256: prompt?.sha256 ?? null,
    diff_characters_cut: diff.omitted_chars,
    calls,
    input_tokens: tokens?.input ?? null,
    output_tokens: tokens?.output ?? null,
    cost_usd,
    injections: reviews[0].injections.length,
  };
}

/** The result of a gate without an opinion: never a pass. */
export const createNoOpinionResult = (
  { outcome, detail }: { readonly outcome: NoOpinionOutcome; readonly detail: string },
  { onError }: Pick<PatchReviewSettings, 'onError'>,
  facts: GateResult['facts'] = {},
): GateResult => ({
  outcome,
  kind: 'judged',
  findings: [],
  detail: detail.slice(0, MAX_DETAIL),
  facts,
  ...(onError === undefined ? {} : { onError }),
});

/** The result of a gate that no model answered for. */
export const createUnansweredReviewResult = (
  absence: MissingOpinionReason,
  reviews: PatchReviews<unknown>,
  settings: PatchReviewSettings,
): GateResult =>
  createNoOpinionResult(
    { outcome: determineNoOpinionOutcome(absence), detail: describeMissingGateOpinion(absence) },
    settings,
    buildReviewMetadata(reviews, settings.diff),
  );

/**
 * The result of a gate with an opinion. Where the patch tried to talk the model over, the opinion lets nothing out: a
 * reviewer looks at it, whatever `on_error` says.
 */
export function createOpinionResult(
  { outcome, findings, detail, facts }: GateOpinion,
  reviews: PatchReviews<unknown>,
  { diff }: Pick<PatchReviewSettings, 'diff'>,
): GateResult {
  const { injections } = reviews[0];
  return {
    outcome: injections.length > 0 && outcome === 'passed' ? 'could_not_run' : outcome,
    kind: 'judged',
    findings: [
      ...findings,
      ...injections.map((message) => ({ file: null, line: null, rule: 'talks_to_the_judge', message })),
    ],
    detail: injections.length === 0 ? detail : `${injections.join('; ')}. ${detail}`,
    facts: { ...buildReviewMetadata(reviews, diff), ...facts },
  };
}

/** Has one model review the patch. */
export async function reviewPatch<Schema extends z.ZodType, Input extends GateReviewInput>(
  reviewer: GateReviewer<Schema, Input>,
  input: Input,
  context: GateContext,
  settings: PatchReviewSettings,
): Promise<GateResult> {
  const reviews = await askModelsAboutPatch(reviewer, input, context, settings);
  const [review] = reviews;
  if ('answer' in review)
    return createOpinionResult(reviewer.decide(review.answer, input), reviews, settings);
  return createUnansweredReviewResult(review.absence, reviews, settings);
}

/** The result of a gate when there is no diff to judge. */
export const EMPTY_DIFF_RESULT: GateResult = {
  outcome: 'skipped',
  kind: 'checked',
  findings: [],
  detail: 'nothing was changed',
};
