import * as z from 'zod';
import { VERDICTS } from '../../contract/check-outcome.ts';
import {
  createVerificationResult,
  type VerificationResult,
} from '../../contract/rubric/verification-result.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import { type ModelAnswer, type ReviewQuestion, receiptOf } from '../engine/ask-model-port.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { PROMPTS } from '../judging/prompts.ts';
import type { GradingInput, RubricGrader } from './rubric-grader.ts';

/**
 * Grades are a list of pairs: in an object a criterion that is graded twice would be lost on the way. Findings stand before the
 * verdict: what a model has to justify first, it decides with more care.
 */
export const RubricVerdict = z.strictObject({
  findings: z.array(z.string().max(1_000)).max(20),
  per_criterion_grades: z
    .array(z.strictObject({ criterion: z.string().max(200), grade: z.number() }))
    .max(100),
  verdict: z.enum(VERDICTS),
  confidence: z.number(),
});
export type RubricVerdict = z.infer<typeof RubricVerdict>;

const TIMEOUT_MS = 60_000;
const MAX_TOKENS = 2_048;
/** Characters of the payload that a grader is shown. */
const PAYLOAD = 16_000;

const isShare = (value: number): boolean => Number.isFinite(value) && value >= 0 && value <= 1;

/** What is wrong with an answer, the first thing in a fixed order; null: nothing. */
export function gradingAnswerFault(
  answer: RubricVerdict,
  { criteria }: Pick<VerificationRubric, 'criteria'>,
): string | null {
  const known = new Set(criteria.map(({ name }) => name));
  const seen = new Set<string>();
  for (const { criterion, grade } of answer.per_criterion_grades) {
    if (!known.has(criterion))
      return `it grades "${criterion.slice(0, 64)}", which is no criterion of the rubric`;
    if (seen.has(criterion)) return `it grades ${criterion} twice`;
    if (!isShare(grade)) return `its grade of ${criterion} is none of 0 to 1`;
    seen.add(criterion);
  }
  const missing = [...known].filter((name) => !seen.has(name));
  if (missing.length > 0) return `it does not grade ${missing.join(', ')}`;
  if (!isShare(answer.confidence)) return 'its confidence is none of 0 to 1';
  if (answer.findings.some((finding) => finding.trim() === '')) return 'it has a finding without words';
  return null;
}

const percent = (value: number): string => value.toFixed(2);

/** What an answer makes of the work. One that cannot be used is for a person, with no grade at all. */
export function gradingAnswerResult(
  answer: RubricVerdict,
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
      findings: [`the grader's answer cannot be used: ${fault}`],
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

function pieces({ artifact, rubric, probes, taskPieces }: GradingInput): ReviewPiece[] {
  const { name, min_confidence, criteria, calibration_examples } = rubric;
  const payload = JSON.stringify(artifact.payload);
  const isCut = payload.length > PAYLOAD;
  return [
    {
      kind: 'rubric',
      label: 'rubric',
      text: JSON.stringify({ name, min_confidence, criteria, calibration_examples }),
    },
    { kind: 'probes', label: 'probes', text: JSON.stringify(probes) },
    ...taskPieces,
    {
      kind: 'handoff',
      label: 'who hands over to whom',
      text: JSON.stringify({
        from_agent_id: artifact.from_agent_id,
        to_agent_id: artifact.to_agent_id,
        from_stage: artifact.from_stage,
        to_stage: artifact.to_stage,
        artifact_refs: artifact.artifact_refs,
      }),
    },
    {
      kind: 'work',
      label: isCut ? `the work: the first ${PAYLOAD} of ${payload.length} characters` : 'the work',
      text: payload.slice(0, PAYLOAD).toWellFormed(),
    },
  ];
}

type AskForGrades = (question: ReviewQuestion<typeof RubricVerdict>) => Promise<ModelAnswer<RubricVerdict>>;

/** Asks a model for the grades. @param minConfidenceOverride can only raise what the rubric asks for. */
export function createLlmGrader(ask: AskForGrades, minConfidenceOverride: number | null): RubricGrader {
  if (minConfidenceOverride !== null && !isShare(minConfidenceOverride))
    throw new RangeError('min_confidence_override is none of 0 to 1');
  return {
    name: 'llm',
    grade: async (work) => {
      const question = reviewQuestion(
        {
          prompt: PROMPTS.rubric_verdict,
          answerSchema: RubricVerdict,
          maxTokens: MAX_TOKENS,
          timeoutMs: TIMEOUT_MS,
        },
        pieces(work),
      );
      const answered = await ask(question);
      const common = { receipt: receiptOf(answered), injections: question.injections };
      return 'outcome' in answered
        ? { ...common, outcome: answered.outcome, why: answered.why }
        : { ...common, result: gradingAnswerResult(answered.value, work, minConfidenceOverride) };
    },
  };
}
