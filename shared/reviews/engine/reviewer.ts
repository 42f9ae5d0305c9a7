import type * as z from 'zod';
import type { GateEvidence } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgePurpose } from '../../contract/models/judge-models.ts';
import type { CheckErrorAction } from '../../contract/submission/on-error.ts';
import type { SkipReason } from './decision-reason.ts';
import type { MissingOpinionReason } from './missing-opinion.ts';
import type { JudgePrompt } from './prompt.ts';
import type { PieceKind, ReviewPiece } from './review-piece.ts';

/**
 * The work that a reviewer may look at: any, that of other families than its own, or the same where the writer is
 * known. Models of one maker err alike.
 */
export type ModelFamilyRule = 'any' | 'other' | 'known_other';

/** Gates that are an opinion of a model. */
export type GateReviewKind =
  | 'intent_verification'
  | 'review_rubric'
  | 'cross_model'
  | 'integration_test_gen'
  | 'examiner'
  | 'challenger'
  | 'adjudicator';

/** The settings of a question: all that differs between reviewers, and nothing that they share. */
export interface ModelReviewer<Schema extends z.ZodType, Input> {
  readonly kind: Judgement['kind'] | GateReviewKind;
  readonly purpose: JudgePurpose;
  readonly family: ModelFamilyRule;
  readonly prompt: JudgePrompt;
  readonly answerSchema: (input: Input) => Schema;
  /** Most tokens of an answer; the reservation of its cost counts them. */
  readonly maxTokens: number;
  /** Most tokens of what it is shown, for the reservation; absent: those of a usual question. */
  readonly maxInputTokens?: number;
  readonly timeoutMs: (input: Input) => number;
  /** Kinds of pieces that it is shown, in the order in which they come. */
  readonly shows: readonly PieceKind[];
  /** Pieces that the input adds to the material. */
  readonly pieces?: (input: Input) => readonly ReviewPiece[];
}

/** The opinion on an answer, or on its absence. */
export type ReviewOpinion = Pick<
  Judgement,
  'outcome' | 'verdict' | 'reasons' | 'score' | 'grading' | 'requirements'
> &
  Partial<Pick<Judgement, 'confidence'>>;

/** A result without asking a model: an opinion, with a reason of its own for the record, or an absence. */
export type OpinionWithoutModel =
  | (ReviewOpinion & { readonly request_reason?: string })
  | MissingOpinionReason;

/**
 * The effect of a missing opinion on the verdict. `pass_with_finding`: the work goes on, and the record says so. `abstain`:
 * the opinion is a vote, which counts for its stage alone.
 */
export type MissingOpinionRule = CheckErrorAction | 'pass_with_finding' | 'abstain';

/**
 * A reviewer whose opinion is a judgement. `Subject` is what its judgement names, whether a model is asked or not.
 * `Answer` is what it decides on: the answer of a model, or what several answers come to.
 */
export interface JudgingReviewer<
  Schema extends z.ZodType,
  Input extends Subject,
  Subject = Input,
  Answer = z.output<Schema>,
> extends ModelReviewer<Schema, Input> {
  readonly kind: Judgement['kind'];
  readonly head: (of: Subject) => Pick<Judgement, 'subject' | 'grading'>;
  /** The reason for asking, for the record. */
  readonly because: (input: Input) => string;
  /** Returns an opinion that needs no model, or why no model is asked; null: a model is asked. */
  readonly precheck?: (input: Input) => OpinionWithoutModel | null;
  // A method, so that rows with different answers have one type in the registry.
  decide(answer: Answer, input: Input): ReviewOpinion;
  readonly absent: (of: Subject) => MissingOpinionRule;
  /** Earlier reviewers of the same attempt after whose failure this one is not asked. */
  readonly after?: Readonly<Partial<Record<Judgement['kind'], SkipReason>>>;
  /** Words an absence for the record; absent: as it is. */
  readonly absenceOpinion?: (why: string) => Partial<ReviewOpinion>;
}

/** The opinion of a reviewer of the gates container. */
export type GateOpinion = Pick<GateEvidence, 'outcome' | 'findings' | 'detail' | 'facts'>;

/** Input of every reviewer of the gates container. */
export interface GateReviewInput {
  readonly timeoutMs: number;
}

/** A reviewer whose opinion is the result of a gate. `Answer` as in `JudgingReviewer`. */
export interface GateReviewer<
  Schema extends z.ZodType,
  Input extends GateReviewInput,
  Answer = z.output<Schema>,
> extends ModelReviewer<Schema, Input> {
  // A method, so that rows with different answers have one type in the registry.
  decide(answer: Answer, input: Input): GateOpinion;
}
