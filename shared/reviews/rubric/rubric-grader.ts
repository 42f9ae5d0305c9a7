import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import type { VerificationResult } from '../../contract/rubric/verification-result.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import type { AtomicProbe } from './atomic-probe.ts';
import type { HandoffArtifact } from './handoff.ts';

export interface GradingInput {
  readonly artifact: HandoffArtifact;
  readonly rubric: VerificationRubric;
  readonly probes: readonly AtomicProbe[];
  /** What the task asks for: shown to a grader, and no part of the work. */
  readonly taskPieces: readonly ReviewPiece[];
  readonly generator_agent_id: string;
  readonly evaluator_agent_id: string;
  readonly at: Date;
}

/** A result, or why there is none: then nobody has judged. */
export type GradingResult = (
  | { readonly result: VerificationResult }
  | { readonly outcome: 'could_not_run' | 'timed_out' | 'infra_failed'; readonly why: string }
) & {
  /** Null: nobody was asked. */
  readonly receipt: ModelCallUsage | null;
  readonly injections: readonly string[];
};

/** Grades work against a rubric. */
export interface RubricGrader {
  readonly name: string;
  grade(work: GradingInput): Promise<GradingResult>;
}
