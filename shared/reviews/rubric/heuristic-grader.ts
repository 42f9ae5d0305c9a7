import {
  createVerificationResult,
  type VerificationResult,
} from '../../contract/rubric/verification-result.ts';
import type { GradingInput } from './grading.ts';

/** Of the seed's source; each 0 to 1. */
const PASS_THRESHOLD = 0.5;
const PASS_GRADE = 0.8;
const FAIL_GRADE = 0.3;
const CONFIDENCE_BIAS = 0.1;
const CONFIDENCE_CEILING = 0.9;

/** Strings as they are; the rest as JSON (the seed's source writes them as Python does). */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/**
 * Counts how many criteria are found word for word in what was handed over. With a rubric's usual confidence of 0.7 it never fails
 * work: below 0.6 of the probes a person is asked, above it passes.
 */
export function gradeByTextMatch(work: GradingInput): VerificationResult {
  const { artifact, rubric, probes, generator_agent_id, evaluator_agent_id, at } = work;
  const all = (grade: number) => Object.fromEntries(rubric.criteria.map(({ name }) => [name, grade]));
  const common = {
    generator_agent_id,
    evaluator_agent_id,
    rubric_name: rubric.name,
    timestamp: at.toISOString(),
  };
  if (probes.length === 0)
    return createVerificationResult({
      ...common,
      verdict: 'refer',
      confidence: 0,
      per_criterion_grades: all(0),
      findings: ['there are no probes to look for'],
    });
  const text = Object.values(artifact.payload).map(textOf).join(' ').toLowerCase();
  const matched = probes.filter(({ source_criterion }) =>
    text.includes(source_criterion.toLowerCase()),
  ).length;
  const ratio = matched / probes.length;
  const isEnough = ratio >= PASS_THRESHOLD;
  const confidence = Math.min(CONFIDENCE_CEILING, ratio + CONFIDENCE_BIAS);
  return createVerificationResult({
    ...common,
    verdict: confidence < rubric.min_confidence ? 'refer' : isEnough ? 'pass' : 'fail',
    confidence,
    per_criterion_grades: all(isEnough ? PASS_GRADE : FAIL_GRADE),
    findings: [`${matched} of ${probes.length} probes were found`],
  });
}
