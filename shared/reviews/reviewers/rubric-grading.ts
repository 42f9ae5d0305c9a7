import * as z from 'zod';
import { VERDICTS } from '../../contract/check-outcome.ts';
import type { GradingRecord } from '../../contract/rubric/grading-record.ts';
import {
  createVerificationResult,
  type VerificationResult,
} from '../../contract/rubric/verification-result.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import type { JudgingReviewer, OpinionWithoutModel, ReviewOpinion } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { createEmptyGradingRecord, type GradingInput } from '../rubric/grading.ts';
import type { AgentHandoff } from '../rubric/handoff.ts';
import { computeWeightedRubricScore, unexpectedGradeMessages } from '../rubric/weighted-score.ts';

/**
 * Grades are a list of pairs: in an object a criterion that is graded twice would be lost on the way. Findings stand before the
 * verdict: what a model has to justify first, it decides with more care.
 */
export const RubricGradingAnswer = z.strictObject({
  findings: z.array(z.string().max(1_000)).max(20),
  per_criterion_grades: z
    .array(z.strictObject({ criterion: z.string().max(200), grade: z.number() }))
    .max(100),
  verdict: z.enum(VERDICTS),
  confidence: z.number(),
});
export type RubricGradingAnswer = z.infer<typeof RubricGradingAnswer>;

/** Most characters of the payload that a grader is shown. */
const MAX_PAYLOAD_CHARS = 16_000;

const isShare = (value: number): boolean => Number.isFinite(value) && value >= 0 && value <= 1;

/** The fault that makes an answer unusable: the first in a fixed order. */
type GradingFault =
  | { readonly code: 'unknown_criterion' | 'graded_twice' | 'grade_out_of_range'; readonly criterion: string }
  | { readonly code: 'missing_grades'; readonly criteria: readonly string[] }
  | { readonly code: 'confidence_out_of_range' | 'blank_finding' };

/** Returns what makes an answer unusable, or null. */
export function gradingAnswerFault(
  answer: RubricGradingAnswer,
  { criteria }: Pick<VerificationRubric, 'criteria'>,
): GradingFault | null {
  const known = new Set(criteria.map(({ name }) => name));
  const graded = new Set<string>();
  for (const { criterion, grade } of answer.per_criterion_grades) {
    if (!known.has(criterion)) return { code: 'unknown_criterion', criterion };
    if (graded.has(criterion)) return { code: 'graded_twice', criterion };
    if (!isShare(grade)) return { code: 'grade_out_of_range', criterion };
    graded.add(criterion);
  }
  const missing = [...known].filter((name) => !graded.has(name));
  if (missing.length > 0) return { code: 'missing_grades', criteria: missing };
  if (!isShare(answer.confidence)) return { code: 'confidence_out_of_range' };
  return answer.findings.some((finding) => finding.trim() === '') ? { code: 'blank_finding' } : null;
}

export function describeGradingFault(fault: GradingFault): string {
  switch (fault.code) {
    case 'unknown_criterion':
      return `it grades "${fault.criterion.slice(0, 64)}", which is no criterion of the rubric`;
    case 'graded_twice':
      return `it grades ${fault.criterion} twice`;
    case 'grade_out_of_range':
      return `its grade of ${fault.criterion} is none of 0 to 1`;
    case 'missing_grades':
      return `it does not grade ${fault.criteria.join(', ')}`;
    case 'confidence_out_of_range':
      return 'its confidence is none of 0 to 1';
    case 'blank_finding':
      return 'it has a finding without words';
  }
}

const percent = (value: number): string => value.toFixed(2);

/** Returns the result of an answer. An unusable one needs a reviewer, and has no grade. */
export function deriveGradingResult(
  answer: RubricGradingAnswer,
  work: GradingInput,
  minConfidenceOverride: number | null,
): VerificationResult {
  const { rubric, generator_agent_id, evaluator_agent_id, at } = work;
  const common = {
    generator_agent_id,
    evaluator_agent_id,
    rubric_name: rubric.name,
    timestamp: at.toISOString(),
  };
  const fault = gradingAnswerFault(answer, rubric);
  if (fault !== null)
    return createVerificationResult({
      ...common,
      verdict: 'refer',
      confidence: 0,
      per_criterion_grades: Object.fromEntries(rubric.criteria.map(({ name }) => [name, 0])),
      findings: [`the grader's answer cannot be used: ${describeGradingFault(fault)}`],
    });
  const least = Math.max(rubric.min_confidence, minConfidenceOverride ?? 0);
  const isUnsure = answer.confidence < least;
  return createVerificationResult({
    ...common,
    verdict: isUnsure ? 'refer' : answer.verdict,
    confidence: answer.confidence,
    per_criterion_grades: Object.fromEntries(
      answer.per_criterion_grades.map(({ criterion, grade }) => [criterion, grade]),
    ),
    findings: [
      ...answer.findings,
      ...(isUnsure ? [`confidence ${percent(answer.confidence)} is below ${percent(least)}`] : []),
    ],
  });
}

/** Findings that have room in the record. */
const MAX_FINDINGS = 10;

/** Returns the opinion that a result is: a weighted score counts where the rubric says so. */
export function formGradingOpinion(
  of: ResolvedVerification,
  result: VerificationResult,
  handoff: GradingRecord['handoff'],
): ReviewOpinion {
  const { rubric } = of;
  const grades = result.per_criterion_grades;
  const score = rubric ? computeWeightedRubricScore(rubric, grades) : null;
  const floor = rubric?.fails_below;
  const isLow = floor !== undefined && score !== null && score < floor;
  const verdict = result.verdict === 'pass' && isLow ? 'fail' : result.verdict;
  const low = isLow ? [`the weighted score ${score.toFixed(3)} is below ${floor} of the rubric`] : [];
  return {
    outcome: verdict === 'pass' ? 'passed' : 'failed',
    verdict,
    confidence: result.confidence,
    reasons: [
      ...[...low, ...result.findings.slice(0, MAX_FINDINGS)].map((each) => truncateToBytes(each, 1_000)),
      ...(rubric ? unexpectedGradeMessages(rubric, grades) : []),
    ],
    grading: { ...createEmptyGradingRecord(of), grades: { ...grades }, weighted_score: score, handoff },
  };
}

interface RubricGradingSubject {
  readonly of: ResolvedVerification;
  /** The record of the handoff; absent: none was made. */
  readonly handoff?: GradingRecord['handoff'];
}
export interface RubricGradingInput extends RubricGradingSubject, GradingInput {
  readonly handoff: GradingRecord['handoff'];
  /** The opinion of a grader without a model; null: a model is asked. */
  readonly early: OpinionWithoutModel | null;
}

const agentsOf = ({ from_agent_id, to_agent_id, from_stage, to_stage, artifact_refs }: AgentHandoff) => ({
  from_agent_id,
  to_agent_id,
  from_stage,
  to_stage,
  artifact_refs,
});

function gradingPieces({ artifact, rubric, probes }: GradingInput): ReviewPiece[] {
  const { name, min_confidence, criteria, calibration_examples } = rubric;
  const payload = JSON.stringify(artifact.payload);
  const isCut = payload.length > MAX_PAYLOAD_CHARS;
  return [
    {
      kind: 'rubric',
      label: 'rubric',
      text: JSON.stringify({ name, min_confidence, criteria, calibration_examples }),
    },
    { kind: 'probes', label: 'probes', text: JSON.stringify(probes) },
    { kind: 'handoff', label: 'who hands over to whom', text: JSON.stringify(agentsOf(artifact)) },
    {
      kind: 'work',
      label: isCut ? `the work: the first ${MAX_PAYLOAD_CHARS} of ${payload.length} characters` : 'the work',
      text: payload.slice(0, MAX_PAYLOAD_CHARS).toWellFormed(),
    },
  ];
}

/** Grades work against the rubric of a verification node. */
export const RUBRIC_GRADING_REVIEWER = {
  kind: 'verification',
  purpose: 'rubric',
  family: 'other',
  prompt: JUDGE_PROMPTS.rubric_verdict,
  answerSchema: () => RubricGradingAnswer,
  maxTokens: 2_048,
  timeoutMs: () => 60_000,
  shows: ['rubric', 'probes', 'task', 'handoff', 'work'],
  pieces: gradingPieces,
  head: ({ of, handoff = null }) => ({
    subject: `verification ${of.node}: ${of.rubric?.name ?? 'no rubric'}`,
    grading: { ...createEmptyGradingRecord(of), handoff },
  }),
  because: ({ of }) => `asked: the workflow has the verification node ${of.node}`,
  precheck: ({ early }) => early,
  decide: (answer, input) =>
    formGradingOpinion(
      input.of,
      deriveGradingResult(answer, input, input.of.min_confidence_override),
      input.handoff,
    ),
  absent: () => 'hold',
} satisfies JudgingReviewer<typeof RubricGradingAnswer, RubricGradingInput, RubricGradingSubject>;
