import { JUDGE_PURPOSES, type JudgePurpose } from '../../contract/models/judge-models.ts';
import { describeReviewDecisionReason, type JudgingRefusal } from './decision-reason.ts';

/** Outcomes of a check that came to no result. */
export type NoOpinionOutcome = 'could_not_run' | 'timed_out' | 'infra_failed';

/** The reason why a model that was asked gave no usable answer. */
export interface UnusableAnswerReason {
  /** `no_answer`: a time limit or an error of the provider; `unreadable_answer`: another shape; `declined`: a refusal. */
  readonly code: 'no_answer' | 'unreadable_answer' | 'declined';
  readonly outcome: NoOpinionOutcome;
  readonly why: string;
}

/** The reason for a missing opinion. Never a pass by itself: each reviewer states what an absence makes of the verdict. */
export type MissingOpinionReason =
  | {
      readonly code: 'no_model';
      readonly purpose: JudgePurpose;
      /** The model that configuration asks for; absent: any that serves the purpose. */
      readonly named?: string | undefined;
    }
  | { readonly code: 'budget_spent'; readonly refusal: JudgingRefusal }
  | { readonly code: 'same_family'; readonly model: string; readonly writer: string }
  | { readonly code: 'unknown_writer' }
  | {
      readonly code: 'too_few_models';
      readonly count: number;
      readonly found: number;
      readonly purpose: JudgePurpose;
      readonly writer: string;
    }
  | { readonly code: 'self_review'; readonly agent: string }
  | { readonly code: 'no_time' }
  | {
      readonly code: 'breaker_open';
      readonly writer: string;
      readonly rejections: number;
      readonly until: string;
    }
  | { readonly code: 'not_returned' }
  /** Material for the reviewer could not be read. */
  | { readonly code: 'unreadable_material'; readonly outcome: NoOpinionOutcome; readonly why: string }
  | UnusableAnswerReason;

/** Says how a purpose gets a model: the one text for it. */
export const explainMissingJudgeModel = (purpose: JudgePurpose): string =>
  `no model provider is configured for \`${purpose}\`: name a model in \`assay:judges\` of the deployment, or with --models FILE of \`assay up\`${JUDGE_PURPOSES[purpose].by === 'janitor' ? '' : ' and `assay check`'}`;

/** Returns the text of an absence. */
export function describeMissingOpinion(absence: MissingOpinionReason): string {
  switch (absence.code) {
    case 'no_model': {
      const { named, purpose } = absence;
      return named === undefined
        ? explainMissingJudgeModel(purpose)
        : `the model ${named} is not among those that are configured; ${explainMissingJudgeModel(purpose)}`;
    }
    case 'budget_spent':
      return describeReviewDecisionReason(absence.refusal);
    case 'same_family':
      return `${absence.model} is of the same family as ${absence.writer}, which wrote this`;
    case 'unknown_writer':
      return 'it is unknown which model wrote this, so no model is known to be of another family';
    case 'too_few_models':
      return `${absence.count} reviewers are to be asked, and ${absence.found} of another family than ${absence.writer} are configured for \`${absence.purpose}\``;
    case 'self_review':
      return `${absence.agent} made this: no agent grades its own work`;
    case 'no_time':
      return 'no time was left to ask';
    case 'breaker_open':
      return `the last ${absence.rejections} works of ${absence.writer} were rejected: until ${absence.until} none of it is marked`;
    case 'not_returned':
      return 'the judging step gave no answer';
    case 'unreadable_material':
    case 'no_answer':
    case 'unreadable_answer':
    case 'declined':
      return absence.why;
  }
}

export function determineNoOpinionOutcome(absence: MissingOpinionReason): NoOpinionOutcome {
  if ('outcome' in absence) return absence.outcome;
  if (absence.code === 'no_time') return 'timed_out';
  return absence.code === 'not_returned' ? 'infra_failed' : 'could_not_run';
}
